"""Builds the charts of events, and the marks of what else changed: releases, machines, Pythons and packages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from windtunnel.detect.format import COMMIT_DIGITS, DetectedChanges, EventChart
from windtunnel.model.run_format import PythonBuild, RunRecord
from windtunnel.model.target import Target
from windtunnel.publish.format.charts import ChartData, ChartMark, EventCharts, MarkKind, RunMark
from windtunnel.publish.format.site import Release
from windtunnel.publish.timeline import SiteCommit
from windtunnel.text import numbers

MAX_EVENTS = 5_000
"""Events with charts, the newest."""
MAX_PACKAGES = 4
"""Packages that a mark names."""
MAX_LABEL = 200
"""Characters of a label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartSource:
    """What charts are built from, besides the changes."""

    commits: Sequence[SiteCommit]
    targets: Sequence[Target]
    releases: Sequence[Release]
    marks: Sequence[RunMark]


def chart_files(charts: Mapping[str, tuple[ChartData, ...]]) -> Iterator[tuple[str, EventCharts]]:
    """Yield the path and the content of each file of *charts*, which are by event."""
    for digit in "0123456789abcdef":
        events = {event: found for event, found in charts.items() if found and event.startswith(digit)}
        if events:
            yield f"data/charts/{digit}.json.gz", EventCharts(schema="windtunnel.charts/1", events=events)


def event_charts(changes: DetectedChanges, source: ChartSource) -> dict[str, tuple[ChartData, ...]]:
    """Return the charts of each event of *changes*, by its id."""
    releases = [RunMark(commit=each.commit, kind=MarkKind.RELEASE, label=each.name) for each in source.releases]
    marks = (*releases, *source.marks)
    order = {each.hash[:COMMIT_DIGITS]: index for index, each in enumerate(source.commits)}
    targets = {target.key: index for index, target in enumerate(source.targets)}
    members = {change.id: change for change in changes.changes}
    charts: dict[str, tuple[ChartData, ...]] = {}
    for event in changes.events[-MAX_EVENTS:]:
        found: list[ChartData] = []
        for chart in event.charts:
            change, commits = members.get(chart.change), [order.get(each) for each in chart.commits]
            known = [index for index in commits if index is not None]
            if change is None or len(known) < len(commits) or not known:
                continue
            target = targets.get((change.machine, change.environment), -1)
            applying = [each for each in marks if _applies(each, change.benchmark, target)]
            dates = int(source.commits[known[0]].date), int(source.commits[known[-1]].date)
            found.append(_chart(chart, known, dates, applying))
        charts[event.id] = tuple(found)
    return charts


def _applies(mark: RunMark, benchmark: str, target: int) -> bool:
    return mark.benchmark in {"", benchmark} and (not mark.targets or target in mark.targets)


def _chart(chart: EventChart, commits: Sequence[int], dates: tuple[int, int], marks: Iterable[RunMark]) -> ChartData:
    inside = sorted((mark for mark in marks if commits[0] < mark.commit <= commits[-1]), key=lambda mark: mark.commit)
    return ChartData(
        change=chart.change,
        commits=tuple(commits),
        dates=dates,
        values=chart.values,
        corrected=chart.corrected,
        levels=chart.levels,
        change_index=chart.change_index,
        marks=tuple(
            ChartMark(at=sum(each < mark.commit for each in commits), kind=mark.kind, label=mark.label)
            for mark in inside
        ),
    )


def run_marks(
    changes: DetectedChanges, records: Iterable[RunRecord], commits: Sequence[SiteCommit], targets: Sequence[Target]
) -> Iterator[RunMark]:
    """Yield where benchmarks, machines, Pythons and packages changed; the last two are known from run records."""
    order = {each.hash: index for index, each in enumerate(commits)}
    for version in changes.versions:
        if version.commit in order:
            label = "new version of the benchmark"
            yield RunMark(commit=order[version.commit], kind=MarkKind.VERSION, label=label, benchmark=version.benchmark)
    for shift in changes.machine_shifts:
        here = [at for at, each in enumerate(targets) if each.machine == shift.machine]
        here = [at for at in here if targets[at].environment in shift.environments]
        if shift.commit in order and here:
            label = f"all times on {shift.machine} by {numbers.relative_change(shift.relative_change, None).value}"[
                :MAX_LABEL
            ]
            yield RunMark(commit=order[shift.commit], kind=MarkKind.MACHINE, label=label, targets=tuple(here))
    builds: dict[str, dict[int, PythonBuild]] = {}
    for task in (task for record in records for task in record.tasks if task.build):
        if task.commit in order and task.build:
            builds.setdefault(task.environment, {})[order[task.commit]] = task.build
    for environment, found in builds.items():
        here = [at for at, each in enumerate(targets) if each.environment == environment]
        for (_, before), (commit, after) in pairwise(sorted(found.items(), key=lambda item: item[0])):
            for kind, label in _differences(before, after):
                yield RunMark(commit=commit, kind=kind, label=label[:MAX_LABEL], targets=tuple(here))


def _differences(before: PythonBuild, after: PythonBuild) -> Iterator[tuple[MarkKind, str]]:
    if before.version != after.version:
        yield MarkKind.PYTHON, f"Python {before.version} → {after.version}"
    old, new = (dict(_package(each) for each in build.packages) for build in (before, after))
    moved = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    if moved:
        named = (f"{name} {old.get(name) or 'not installed'} → {new.get(name) or 'removed'}" for name in moved)
        more = f" and {len(moved) - MAX_PACKAGES} more" if len(moved) > MAX_PACKAGES else ""
        yield MarkKind.PACKAGE, ", ".join(islice(named, MAX_PACKAGES)) + more


def _package(text: str) -> tuple[str, str]:
    name, _, version = text.partition("==")
    return name, version
