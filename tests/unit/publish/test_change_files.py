"""The changes of a site in parts."""

import gzip
from random import Random

from builders.observations import a_change, a_hash, an_alert_at, changes
from msgspec.structs import replace

from windtunnel import formats
from windtunnel.detect.alert_format import Alerts
from windtunnel.publish.change_files import MAX_EVENTS, MAX_MEMBERS, MAX_ROWS, alerts_data, change_files

MOST = 200_000
"""Bytes that a page may load, compressed."""


def packed(value):
    return len(gzip.compress(formats.encode(value), 6))


def a_large_history(events=40, members=400, benchmarks=300):
    """Changes of many series with random sizes: what does not compress."""
    random, found = Random(1), []
    for at in range(20, 20 + events):
        for number in range(members):
            size = random.gauss(0, 0.3)
            found.append(
                replace(
                    a_change(f"module.Suite.time_{random.randrange(benchmarks):04}", at, params=(str(number),)),
                    relative_change=size,
                    before=random.random(),
                    after=random.random(),
                    id=f"{random.getrandbits(48):012x}",
                )
            )
    return changes(*found), [f"module.Suite.time_{number:04}" for number in range(benchmarks)]


def test_no_part_of_a_large_history_exceeds_what_a_page_may_load():
    """16,000 changes: the head with one block of events, and the file of a benchmark."""
    found, benchmarks = a_large_history()
    head, groups, files = change_files(found, None, benchmarks)
    assert len(found.changes) == 16_000
    sizes = {path: packed(file) for path, file in files.items()}
    assert packed(head) + sizes[head.blocks[0]] < MOST
    assert max(sizes[path] for _, path in groups) < MOST
    assert max(sizes.values()) < MOST
    assert sum(sizes.values()) < 2 * packed(found)


def test_events_are_in_blocks_newest_first_with_their_largest_changes():
    """Smaller changes of a large event are in a file of its own."""
    found, benchmarks = a_large_history(events=30, members=3)
    large = [a_change(f"m.time_{number}", 70, relative_change=number / 100) for number in range(MAX_MEMBERS + 1)]
    head, _, files = change_files(changes(*found.changes, *large), None, benchmarks)
    blocks = [files[path].events for path in head.blocks]
    assert [len(block) for block in blocks] == [MAX_EVENTS, 31 - MAX_EVENTS]
    shown = [each for block in blocks for each in block]
    assert [int(each.event.commit, 16) for each in shown] == [70, *range(49, 19, -1)]
    first, *others = shown
    assert [each.benchmark for each in first.members[:2]] == ["m.time_100", "m.time_99"]
    assert (len(first.members), first.member_count) == (MAX_MEMBERS, MAX_MEMBERS + 1)
    assert len(files[first.file].members) == MAX_MEMBERS + 1
    assert {(len(each.members), each.file) for each in others} == {(3, None)}


def test_each_change_is_in_the_file_of_its_benchmark():
    """The file of a benchmark is the last one that begins at it or before it."""
    found, benchmarks = a_large_history(events=40, members=60)
    _, groups, files = change_files(found, None, benchmarks)
    assert len(groups) > 1
    for change in found.changes:
        at = benchmarks.index(change.benchmark)
        path = max((first, path) for first, path in groups if first <= at)[1]
        assert change.id in {each.id for each in files[path].changes}
        assert len(files[path].changes) <= MAX_ROWS


def test_an_alert_is_listed_with_its_benchmarks_counted_and_in_their_files():
    """Its candidates and most of its cases stay in alerts.json."""
    alert = an_alert_at("m.a", [a_hash(30), a_hash(31)])
    (case,) = alert.cases
    cases = tuple(replace(case, benchmark=f"m.{name}") for name in "aabcde")
    alerts = Alerts(alerts=(replace(alert, cases=cases),))
    (shown,) = alerts_data(alerts).alerts
    assert ([each.benchmark for each in shown.cases], shown.benchmark_count) == (["m.a", "m.b", "m.c"], 5)
    assert shown.location.candidates == ()
    _, ((first, path),), files = change_files(changes(), alerts, ["m.c", "m.f"])
    assert first == 0
    assert [[each.benchmark for each in found.cases] for found in files[path].alerts] == [["m.c"]]
