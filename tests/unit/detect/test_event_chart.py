"""The chart and the scope of an event."""

from dataclasses import replace

import numpy as np
import pytest
from builders.histories import a_history, a_history_tree, detect, histories
from builders.observations import a_change

from windtunnel.detect.report import by_size, common_part, describe_scope, distinct_pythons, render_terminal

COUNT, POINTS, AT = 8, 90, 45


def columns(seed=51):
    """The times of quiet cases; the last one gets faster, the one before it a little slower."""
    found = {f"m.time_{k}": 0.1 * np.exp(line) for k, line in enumerate(histories(seed, count=COUNT, points=POINTS))}
    found["m.time_7"][AT:] *= 0.36
    found["m.time_6"][AT:] *= 1.2
    return found


def detected(found):
    return detect(a_history_tree(found), a_history(POINTS))


def test_an_event_has_charts_of_its_lead_and_of_its_largest_regression():
    """Thirty values on either side; the levels are those of the change."""
    found = detected(columns())
    (event,) = found.events
    changes = {change.id: change for change in found.changes}
    charts = {changes[chart.change].benchmark: chart for chart in event.charts}
    assert sorted(charts) == ["m.time_6", "m.time_7"]
    lead = charts["m.time_7"]
    assert (len(lead.values), lead.change_index, lead.commits[30]) == (60, 30, event.commit[:12])
    change = changes[lead.change]
    assert [(each.start, each.value) for each in lead.levels] == [(0, change.before), (30, change.after)]


def test_the_chart_of_a_creep_is_thinned_out():
    """A creep takes hundreds of runs; sixty values show it."""
    column = 0.1 * np.exp(histories(3, count=1, points=400)[0] / 10) * 1.0005 ** np.arange(400)
    found = detect(a_history_tree({"m.time_it": column}), a_history(400))
    assert {change.kind for change in found.changes} == {"creep"}
    assert all(len(chart.values) <= 60 for event in found.events for chart in event.charts)


def test_a_slow_run_of_the_machine_is_taken_out():
    """The values as measured stay beside the corrected ones. One series alone does not show the machine."""
    slow = columns()
    for line in slow.values():
        line[[20, 40, 50, 60]] *= 1.5
    (event,) = detected(slow).events
    chart = event.charts[-1]
    at = 40 - (AT - 30)
    assert chart.values[at] == pytest.approx(1.5 * chart.corrected[at], rel=0.1)
    (alone,) = detected({"m.time_7": slow["m.time_7"]}).events
    assert alone.charts[0].corrected == ()


def test_a_new_version_of_a_benchmark_is_listed_with_its_first_commit():
    """A benchmark that always had its version is not."""
    tree = a_history_tree(columns())
    old = [replace(run, rows=tuple(replace(row, version="0") for row in run.rows if row.name == "m.time_1")
                   + tuple(row for row in run.rows if row.name != "m.time_1"))
           for run in tree.runs[:10]]  # fmt: skip
    found = detect(replace(tree, runs=(*old, *tree.runs[10:])), a_history(POINTS))
    assert [(each.benchmark, each.commit) for each in found.versions] == [("m.time_1", tree.runs[10].commit)]


def times(count=6, points=60, seed=51):
    """The times of *count* quiet cases of two classes."""
    names = [f"sorting.{'Sort' if number % 2 else 'Search'}.time_{number}" for number in range(count)]
    return dict(zip(names, 0.1 * np.exp(histories(seed, count=count, points=points)), strict=True))


def test_the_largest_factor_leads_in_either_direction():
    """A 30-fold speed-up is larger than a slowdown by a factor of six."""
    changes = [a_change("m.slow", relative_change=5.0), a_change("m.fast", relative_change=1 / 30 - 1)]
    assert [change.benchmark for change in by_size(changes)] == ["m.fast", "m.slow"]


@pytest.mark.parametrize("relative", [None, -1.0])
def test_a_change_from_or_to_zero_is_larger_than_any_factor(relative):
    """Its factor is infinite."""
    changes = [a_change("m.a", relative_change=1e6), a_change("m.b", relative_change=relative)]
    assert by_size(changes)[0].benchmark == "m.b"


@pytest.mark.parametrize(
    ("names", "part"),
    [
        (["io.Read.time_a", "io.Read.time_b"], "io.Read"),
        (["io.Read.time_a", "io.Write.time_a"], "io"),
        (["io.Read.time_a", "io.Read.time_a"], "io.Read.time_a"),
        (["io.Read.time_a", "algorithms.Sort.time_a"], ""),
    ],
)
def test_the_common_part_is_the_smallest_that_holds_all(names, part):
    """A class, a module, a benchmark, or nothing."""
    assert common_part(names) == part


def test_pythons_are_in_the_order_of_their_versions():
    """3.9 comes before 3.10; an unknown one is left out."""
    assert distinct_pythons([a_change(python=each) for each in ("3.10", "", "3.9", "3.10")]) == ("3.9", "3.10")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ([("io.time_a", "3.12")], "io.time_a on Python 3.12"),
        ([("io.time_a", "3.12"), ("io.time_a", "3.11")], "io.time_a on Python 3.11 and 3.12"),
        ([("io.time_a", ""), ("io.time_b", "")], "2 cases of io"),
        (
            [("io.a", "3.9"), ("b.a", "3.10"), ("b.c", "3.11"), ("c.d", "3.12")],
            "4 cases of b, c and 1 more module on Python 3.9 to 3.12",
        ),
    ],
)  # fmt: skip
def test_a_scope_names_cases_part_and_pythons(changes, text):
    """A case that changed on two Pythons is one case."""
    assert describe_scope([a_change(name, python=python) for name, python in changes]) == text


def test_an_event_has_its_lead_case_and_scope():
    """In changes.json, and in the report."""
    columns = times()
    for number, name in enumerate(columns):
        columns[name][30:] *= 1.2 if number else 1 / 30
    columns.update({f"io.time_{number}": row for number, row in enumerate(times(seed=52).values())})
    found = detect(a_history_tree(columns), a_history(60))
    (event,) = found.events
    lead = next(change for change in found.changes if change.id == event.lead)
    assert lead.benchmark == "sorting.Search.time_0"
    assert event.largest_change == lead.relative_change < -0.9
    assert (event.cases, event.part) == (6, "sorting")
    assert event.pythons == (lead.python,)
    assert f"6 cases of sorting on Python {lead.python}: 5 regressed, 1 improved" in render_terminal(found)
