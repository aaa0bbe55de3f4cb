"""Builds the files of changes and alerts, of which a page loads its part; charts of events, and marks in histories.

Marks are what else changed: releases, machines, Pythons and packages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from windtunnel.detect import format as detected
from windtunnel.detect.alert_format import Alert, Alerts
from windtunnel.model.build_change import find_package_changes, find_python_change
from windtunnel.model.identity import BenchmarkName
from windtunnel.model.run import Interval
from windtunnel.model.run_format import PythonBuild, RunRecord
from windtunnel.model.target import Target
from windtunnel.publish.format import changes as data
from windtunnel.publish.format.site import Release
from windtunnel.publish.site_index import SiteCommit
from windtunnel.text import numbers

FOLDER = "data/changes"
MAX_EVENTS = 25
"""Events of a block: as many as the page shows at first."""
MAX_MEMBERS = 100
"""Changes of an event in its block."""
MAX_ROWS = 1000
"""Changes of a block, and of a group of benchmarks: about 60 kB when compressed. A benchmark with more has its own."""
MAX_CASES = 3
"""Cases of an alert in a list."""
DIGITS = 5
"""Significant digits of levels and sizes; pages show three."""
MAX_CHARTED_EVENTS = 5_000
"""Events with charts, the newest."""
MAX_PACKAGES = 4
"""Packages that a mark names."""
MAX_LABEL = 200
"""Characters of a label."""


def change_files(
    changes: detected.DetectedChanges, alerts: Alerts | None, benchmarks: Sequence[BenchmarkName]
) -> tuple[data.ChangesData, tuple[tuple[int, str], ...], Mapping[str, object]]:
    """Return the head, the groups of *benchmarks* that have a file, and the content of all other files by their path.

    A group is the index of its first benchmark and its path; it reaches to the next one.
    """
    files: dict[str, object] = {}
    members: dict[str, list[detected.Change]] = {}
    for change in changes.changes:
        members.setdefault(change.event, []).append(_rounded(change))
    blocks = list[str]()
    for block in _blocks(changes.events, members):
        shown = tuple(_shown(event, members.get(event.id, []), files) for event in block)
        blocks.append(f"{FOLDER}/events-{len(blocks)}.json.gz")
        files[blocks[-1]] = data.EventsData(schema="windtunnel.site-events/1", events=shown)
    groups = list[tuple[int, str]]()
    for first, group in _groups(changes, alerts, benchmarks):
        groups.append((first, f"{FOLDER}/benchmarks-{len(groups)}.json.gz"))
        files[groups[-1][1]] = group
    head = data.ChangesData(
        schema="windtunnel.site-changes/1",
        series=changes.series,
        commits=changes.commits,
        too_short=changes.too_short,
        advice=changes.advice,
        notes=changes.notes,
        event_count=len(changes.events),
        regressed=sum(not each.improved for each in changes.events),
        improved=sum(not each.regressed for each in changes.events),
        blocks=tuple(blocks),
        machine_shifts=tuple(replace(each, candidates=(), explained_cases=()) for each in changes.machine_shifts),
    )
    return head, tuple(groups), files


def alerts_data(alerts: Alerts) -> data.AlertsData:
    """Return the list of *alerts*."""
    shown = (_shown_alert(alert, alert.cases, MAX_CASES) for alert in alerts.alerts)
    return data.AlertsData(schema="windtunnel.site-alerts/1", alerts=tuple(shown))


def _blocks(
    events: Sequence[detected.ChangeEvent], members: Mapping[str, Sequence[detected.Change]]
) -> Iterator[list[detected.ChangeEvent]]:
    """Yield the events in blocks, newest first."""
    block, rows = list[detected.ChangeEvent](), 0
    for event in reversed(events):
        count = min(MAX_MEMBERS, len(members.get(event.id, ())))
        if block and (len(block) == MAX_EVENTS or rows + count > MAX_ROWS):
            yield block
            block, rows = [], 0
        block.append(event)
        rows += count
    if block:
        yield block


def _shown(
    event: detected.ChangeEvent, members: Sequence[detected.Change], files: dict[str, object]
) -> data.ShownEvent:
    """Return *event* with its largest changes; with more of them, all have a file."""
    ordered = tuple(sorted(members, key=lambda change: -detected.factor_size(change.relative_change)))
    file = None
    if len(ordered) > MAX_MEMBERS:
        file = f"{FOLDER}/event-{event.id}.json.gz"
        files[file] = data.EventMembers(schema="windtunnel.site-event/1", members=ordered)
    return data.ShownEvent(
        event=replace(event, candidates=(), members=(), charts=()),
        members=ordered[:MAX_MEMBERS],
        member_count=len(ordered),
        file=file,
    )


def _groups(
    changes: detected.DetectedChanges, alerts: Alerts | None, benchmarks: Sequence[BenchmarkName]
) -> Iterator[tuple[int, data.ChangesOfBenchmarks]]:
    """Yield the groups of *benchmarks*, each with the index of its first one."""
    own: dict[BenchmarkName, list[detected.Change]] = {}
    for change in changes.changes:
        own.setdefault(change.benchmark, []).append(_rounded(change))
    alerted: dict[BenchmarkName, list[Alert]] = {}
    for alert in alerts.alerts if alerts else ():
        for name in dict.fromkeys(case.benchmark for case in alert.cases):
            alerted.setdefault(name, []).append(alert)
    first, names, rows = 0, list[BenchmarkName](), 0
    for index, name in enumerate(benchmarks):
        count = len(own.get(name, ())) + len(alerted.get(name, ()))
        if names and rows + count > MAX_ROWS:
            yield first, _group(names, own, alerted)
            first, names, rows = index, [], 0
        names.append(name)
        rows += count
    if names:
        yield first, _group(names, own, alerted)


def _group(
    names: Sequence[BenchmarkName],
    own: Mapping[BenchmarkName, Sequence[detected.Change]],
    alerted: Mapping[BenchmarkName, Sequence[Alert]],
) -> data.ChangesOfBenchmarks:
    chosen = frozenset(names)
    found = {alert.id: alert for name in names for alert in alerted.get(name, ())}
    return data.ChangesOfBenchmarks(
        schema="windtunnel.site-benchmark-changes/1",
        changes=tuple(change for name in names for change in own.get(name, ())),
        alerts=tuple(
            _shown_alert(alert, [case for case in alert.cases if case.benchmark in chosen], len(chosen))
            for alert in sorted(found.values(), key=lambda alert: (alert.raised, alert.id))
        ),
    )


def _shown_alert(alert: Alert, cases: Sequence[detected.Change], limit: int) -> data.ShownAlert:
    """Return *alert* with one of *cases* of each benchmark, at most *limit*."""
    by_benchmark = {case.benchmark: case for case in reversed(cases)}
    return detected.part_of(
        alert,
        data.ShownAlert,
        cases=tuple(reversed(by_benchmark.values()))[:limit],
        location=None if alert.location is None else replace(alert.location, candidates=()),
        benchmark_count=len({case.benchmark for case in alert.cases}),
    )


def _rounded(change: detected.Change) -> detected.Change:
    """Return *change* with the digits that pages need."""
    interval = change.interval
    return replace(
        change,
        first_candidate=0,
        before=_round(change.before),
        after=_round(change.after),
        relative_change=None if change.relative_change is None else _round(change.relative_change),
        interval=None if interval is None else Interval(low=_round(interval.low), high=_round(interval.high)),
        confidence=_round(change.confidence),
    )


def _round(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def chart_files(charts: Mapping[str, tuple[data.ChartData, ...]]) -> Iterator[tuple[str, data.EventCharts]]:
    """Yield the path and the content of each file of *charts*, which are by event."""
    for digit in "0123456789abcdef":
        events = {event: found for event, found in charts.items() if found and event.startswith(digit)}
        if events:
            yield f"data/charts/{digit}.json.gz", data.EventCharts(schema="windtunnel.charts/1", events=events)


def event_charts(
    changes: detected.DetectedChanges,
    commits: Sequence[SiteCommit],
    targets: Sequence[Target],
    releases: Sequence[Release],
    run_marks: Sequence[data.RunMark],
) -> dict[str, tuple[data.ChartData, ...]]:
    """Return the charts of each event of *changes*, by its id."""
    marks = [*(data.RunMark(commit=each.commit, kind="release", label=each.name) for each in releases), *run_marks]
    order = {each.hash[: detected.COMMIT_DIGITS]: index for index, each in enumerate(commits)}
    indices = {target.key: index for index, target in enumerate(targets)}
    members = {change.id: change for change in changes.changes}
    charts: dict[str, tuple[data.ChartData, ...]] = {}
    for event in changes.events[-MAX_CHARTED_EVENTS:]:
        found: list[data.ChartData] = []
        for chart in event.charts:
            change, known = members.get(chart.change), [order[each] for each in chart.commits if each in order]
            if change is None or len(known) < len(chart.commits) or not known:
                continue
            target = indices.get((change.machine, change.environment), -1)
            applying = [each for each in marks if _applies(each, change.benchmark, target)]
            dates = int(commits[known[0]].date), int(commits[known[-1]].date)
            found.append(_chart(chart, known, dates, applying))
        charts[event.id] = tuple(found)
    return charts


def _applies(mark: data.RunMark, benchmark: str, target: int) -> bool:
    return mark.benchmark in {"", benchmark} and (not mark.targets or target in mark.targets)


def _chart(
    chart: detected.EventChart, commits: Sequence[int], dates: tuple[int, int], marks: Iterable[data.RunMark]
) -> data.ChartData:
    inside = sorted((mark for mark in marks if commits[0] < mark.commit <= commits[-1]), key=lambda mark: mark.commit)
    return detected.part_of(
        chart,
        data.ChartData,
        commits=tuple(commits),
        dates=dates,
        marks=tuple(
            data.ChartMark(at=sum(each < mark.commit for each in commits), kind=mark.kind, label=mark.label)
            for mark in inside
        ),
    )


def run_marks(
    changes: detected.DetectedChanges,
    records: Iterable[RunRecord],
    commits: Sequence[SiteCommit],
    targets: Sequence[Target],
    project: str,
) -> Iterator[data.RunMark]:
    """Yield where benchmarks, machines, Pythons and packages changed; the last two are known from run records."""
    order = {each.hash: index for index, each in enumerate(commits)}
    for version in changes.versions:
        if version.commit in order:
            label = "new version of the benchmark"
            yield data.RunMark(commit=order[version.commit], kind="version", label=label, benchmark=version.benchmark)
    for shift in changes.machine_shifts:
        here = [at for at, each in enumerate(targets) if each.machine == shift.machine]
        here = [at for at in here if targets[at].environment in shift.environments]
        if shift.commit in order and here:
            label = f"all times on {shift.machine} by {numbers.relative_change(shift.relative_change, None).value}"[
                :MAX_LABEL
            ]
            yield data.RunMark(commit=order[shift.commit], kind="machine", label=label, targets=tuple(here))
    builds: dict[str, dict[int, PythonBuild]] = {}
    for task in (task for record in records for task in record.tasks if task.build):
        if task.commit in order and task.build:
            builds.setdefault(task.environment, {})[order[task.commit]] = task.build
    for environment, found in builds.items():
        here = [at for at, each in enumerate(targets) if each.environment == environment]
        for (_, before), (commit, after) in pairwise(sorted(found.items(), key=lambda item: item[0])):
            for kind, label in _differences(before, after, project):
                yield data.RunMark(commit=commit, kind=kind, label=label[:MAX_LABEL], targets=tuple(here))


def _differences(before: PythonBuild, after: PythonBuild, project: str) -> Iterator[tuple[data.MarkKind, str]]:
    if python := find_python_change(before, after):
        yield "python", python
    if moved := find_package_changes(before.packages, after.packages, project):
        more = f" and {len(moved) - MAX_PACKAGES} more" if len(moved) > MAX_PACKAGES else ""
        yield "package", ", ".join(each.description for each in moved[:MAX_PACKAGES]) + more
