"""Orders commits, and builds the lists that pages begin with: commits, benchmarks, targets and the newest changes."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from math import isfinite, isnan, log1p, prod

import numpy as np

from windtunnel.detect.alert_format import Alert
from windtunnel.detect.format import Change, ChangeEvent, DetectedChanges, factor_size
from windtunnel.git.history import BranchHistory
from windtunnel.git.repository import Commit, Reference
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Run
from windtunnel.model.target import Target
from windtunnel.publish.format import site as data
from windtunnel.publish.format.changes import ChartData
from windtunnel.publish.series_files import SPARKLINE_LENGTH, benchmark_path, sparklines
from windtunnel.results.columns import Floats, Indices
from windtunnel.results.series_table import SeriesRows, SeriesTable
from windtunnel.text.escaping import visible

MAX_COMMITS = 512
"""Commits in a file: a new commit changes the last file only, and 1,500 commits are three requests."""
MAX_BRANCHES = 100
"""Branches that the site distinguishes; commits on others count as on none."""
MIN_VALUES = 6
"""Values from which on there is a trend."""
MIN_TREND = log1p(0.03)
"""The logarithm of the smallest change that a trend shows."""
MAX_IMPROVEMENTS = 3
MAX_EVENTS = 10
"""Events of a list on the first page; the page of changes shows all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCommit:
    """A commit with results."""

    hash: CommitHash
    commit: Commit | None
    """None where the clone does not have it."""
    date: float
    """The author's date, in seconds since 1970."""
    revision: int | None
    """The position along the branch; None for commits on no branch that is shown."""
    branch: str | None = None
    """The first of the shown branches that has it; None for commits on none."""


def timeline(
    runs: Iterable[Run], history: BranchHistory, elsewhere: Mapping[CommitHash, Commit]
) -> tuple[SiteCommit, ...]:
    """Return the commits of *runs*, oldest first; those of the first branch come last.

    Commits of *history* keep its order, whatever their dates. The others are inserted by date.
    """
    dates: dict[CommitHash, float] = {}
    for run in runs:
        dates.setdefault(run.commit, run.date / 1000)
    ordered = [
        SiteCommit(
            hash=each.hash,
            commit=each,
            date=float(each.author_date),
            revision=revision,
            branch=history.branch_of[each.hash],
        )
        for revision, each in enumerate(reversed(history.commits))
        if each.hash in dates
    ]
    on_branch = {each.hash for each in ordered}
    others = sorted((date, commit) for commit, date in dates.items() if commit not in on_branch)
    latest = list(accumulate((each.date for each in ordered), max))
    for date, commit in reversed(others):
        other = SiteCommit(hash=commit, commit=elsewhere.get(commit), date=date, revision=None)
        ordered.insert(bisect_right(latest, date), other)
    return tuple(ordered)


def releases(
    tags: Iterable[Reference], commits: Sequence[SiteCommit], history: BranchHistory
) -> tuple[data.Release, ...]:
    """Return the tags on *history*, oldest first, each at the last of *commits* on its branch that it contains.

    Tags before the first of these are left out.
    """
    measured = [(each.revision, index) for index, each in enumerate(commits) if each.revision is not None]
    revisions = {commit.hash: revision for revision, commit in enumerate(reversed(history.commits))}
    found = [
        data.Release(name=tag.name, commit=measured[at - 1][1])
        for tag in tags
        if tag.commit in revisions
        and (at := bisect_right(measured, revisions[tag.commit], key=lambda each: each[0]))
        and commits[measured[at - 1][1]].branch == history.branch_of[tag.commit]
    ]
    return tuple(sorted(found, key=lambda release: (release.commit, release.name)))


def site_branches(commits: Sequence[SiteCommit], names: Iterable[str]) -> dict[str, data.SiteBranch]:
    """Return those of the branches *names* that have *commits*, at most MAX_BRANCHES."""
    own: dict[str, list[int]] = {name: [] for name in names}
    for index, each in enumerate(commits):
        if each.branch is not None:
            own[each.branch].append(index)
    found = [
        (name, data.SiteBranch(name=visible(name), commits=len(indices), newest=indices[-1]))
        for name, indices in own.items()
        if indices
    ]
    return dict(found[:MAX_BRANCHES])


def commit_files(commits: Sequence[SiteCommit], branches: Collection[str]) -> Iterator[tuple[str, data.CommitsData]]:
    """Yield the path and the content of each file of commits; *branches* are those of the site."""
    numbers: Mapping[str | None, int] = {name: number for number, name in enumerate(branches)}
    for first in range(0, len(commits), MAX_COMMITS):
        part = commits[first : first + MAX_COMMITS]
        yield (
            f"data/commits/{first // MAX_COMMITS}.json.gz",
            data.CommitsData(
                schema="windtunnel.commits/1",
                first=first,
                hash=tuple(each.hash for each in part),
                subject=tuple(each.commit.subject if each.commit else None for each in part),
                author=tuple(each.commit.author if each.commit else None for each in part),
                date=tuple(each.commit.author_date if each.commit else None for each in part),
                revision=tuple(each.revision for each in part),
                branch=tuple(numbers.get(each.branch) for each in part) if numbers else (),
            ),
        )


def benchmarks_data(
    table: SeriesTable, benchmarks: Sequence[Benchmark], measured: Mapping[int, Indices], factors: Floats
) -> data.BenchmarksData:
    """Return the list of *benchmarks*, each with its representative case.

    *measured* are the commits at each target, *factors* what the machine did to each row.
    """
    found = [
        _Representative(table, measured, tuple(series), factors)
        for _, series in groupby(table.series(), lambda each: each.case.benchmark)
    ]
    units = {unit: index for index, unit in enumerate(dict.fromkeys(map(_unit, benchmarks)))}
    target_sets = {each: index for index, each in enumerate(dict.fromkeys(one.targets for one in found))}
    return data.BenchmarksData(
        schema="windtunnel.benchmarks/1",
        units=tuple(units),
        name=tuple(each.name for each in benchmarks),
        file=tuple(benchmark_path(each.name) for each in benchmarks),
        unit=tuple(units[_unit(each)] for each in benchmarks),
        params=tuple(each.param_names for each in benchmarks),
        cases=tuple(
            max(prod(map(len, each.params)), one.measured) for each, one in zip(benchmarks, found, strict=True)
        ),
        measured=tuple(each.measured for each in found),
        target=tuple(each.target for each in found),
        target_sets=tuple(target_sets),
        measured_at=tuple(target_sets[each.targets] for each in found),
        case=tuple(each.case for each in found),
        last=tuple(each.last for each in found),
        low=tuple(each.low for each in found),
        high=tuple(each.high for each in found),
        trend=tuple(each.trend for each in found),
        spark=tuple(each.spark for each in found),
        stale=tuple(each.stale for each in found),
    )


class _Representative:
    """The case that represents a benchmark: its first one with a value at the target where it was run last."""

    def __init__(
        self, table: SeriesTable, commits: Mapping[int, Indices], series: Sequence[SeriesRows], factors: Floats
    ) -> None:
        last = table.commit[[each.rows[-1] for each in series]].tolist()
        latest = max(last)
        current = [each for each, commit in zip(series, last, strict=True) if commit == latest]
        self.target = min(each.target for each in current)
        self.targets = tuple(sorted({each.target for each in series}))
        here = [each for each in current if each.target == self.target]
        with_value = [each for each in here if not isnan(table.value[each.rows[-1]])]
        self.measured = len(with_value)
        case, _, rows = (with_value or here)[0]
        self.case = case.params
        self.last, self.low, self.high = (_number(column[rows[-1]]) for column in (table.value, table.low, table.high))
        values = (table.value[rows] / factors[rows]).tolist()
        (self.spark,) = sparklines(values)
        self.trend = _trend(values[-SPARKLINE_LENGTH:])
        newer = commits[self.target]
        self.stale = int(len(newer) - np.searchsorted(newer, latest, side="right"))


def _trend(values: Sequence[float]) -> float | None:
    """Return the relative change from the median of the first third to that of the last third; 0 within the noise.

    None where there are too few values. The noise is twice the median difference of neighbours, and at least 3 %.
    """
    known = np.log([value for value in values if isfinite(value) and value > 0])
    third = max(1, len(known) // 3)
    if len(known) < MIN_VALUES:
        return None
    change = float(np.median(known[-third:]) - np.median(known[:third]))
    noise = max(MIN_TREND, 2 * float(np.median(np.abs(np.diff(known)))))
    return float(np.expm1(change)) if abs(change) >= noise else 0.0


def _unit(benchmark: Benchmark) -> str:
    return benchmark.unit or "unit"


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def site_targets(
    table: SeriesTable, targets: Sequence[Target], measured: Mapping[int, Indices]
) -> tuple[data.SiteTarget, ...]:
    """Return each target with the results of the newest commit there; *measured* are the commits at each target."""
    return tuple(_site_target(table, index, each, measured.get(index, ())) for index, each in enumerate(targets))


def _site_target(table: SeriesTable, index: int, target: Target, commits: Sequence[int] | Indices) -> data.SiteTarget:
    newest = int(commits[-1]) if len(commits) else 0
    values = table.value[(table.target == index) & (table.commit == newest)]
    return data.SiteTarget(
        name=target.name,
        python=target.python,
        machine=target.machine,
        environment=target.environment,
        commit=newest,
        measured=int(np.isfinite(values).sum()),
        failed=int(np.isnan(values).sum()),
        runs=len(commits),
    )


def recent_changes(
    changes: DetectedChanges,
    charts: Mapping[str, Sequence[ChartData]],
    alerts: Mapping[CommitHash, data.AlertSummary],
    targets: Sequence[Target],
    commits: Sequence[SiteCommit],
) -> tuple[data.RecentChange, ...]:
    """Return the newest events of *changes* and the newest with open regressions, the newest first.

    *charts* are by event, *alerts* by the commit of the event.
    """
    members = {change.id: change for change in changes.changes}
    shown_by = (
        (event, _representative(event, members, charts.get(event.id, ()))) for event in _newest_first(changes, commits)
    )
    known = [(event, change) for event, change in shown_by if change]
    newest_open = {event.id for event, _ in [each for each in known if count_open(each[0], members)][:MAX_EVENTS]}
    shown = [each for index, each in enumerate(known) if index < MAX_EVENTS or each[0].id in newest_open]
    return tuple(_recent(shown, members, charts, alerts, targets, commits))


def newest_improvements(
    changes: DetectedChanges, targets: Sequence[Target], commits: Sequence[SiteCommit]
) -> tuple[data.RecentChange, ...]:
    """Return the newest improvements of *changes* that hold, the largest one of each event, without charts."""
    members = {change.id: change for change in changes.changes}
    found = []
    for event in _newest_first(changes, commits):
        own = [members[each] for each in event.members if each in members]
        holding = [each for each in own if each.direction == "improved" and each.status == "current"]
        if holding:
            found.append((event, max(holding, key=lambda one: (factor_size(one.relative_change), one.id))))
    return tuple(_recent(found[:MAX_IMPROVEMENTS], members, {}, {}, targets, commits))


def _newest_first(changes: DetectedChanges, commits: Sequence[SiteCommit]) -> list[ChangeEvent]:
    order = {each.hash: index for index, each in enumerate(commits)}
    return sorted(changes.events, key=lambda event: (order.get(event.commit, -1), event.id), reverse=True)


def _recent(  # noqa: PLR0913, PLR0917 - what two lists of events share
    shown: Iterable[tuple[ChangeEvent, Change]],
    members: Mapping[str, Change],
    charts: Mapping[str, Sequence[ChartData]],
    alerts: Mapping[CommitHash, data.AlertSummary],
    targets: Sequence[Target],
    commits: Sequence[SiteCommit],
) -> Iterator[data.RecentChange]:
    indices = {target.key: index for index, target in enumerate(targets)}
    subjects = {each.hash: each.commit.subject for each in commits if each.commit}
    for event, change in shown:
        yield data.RecentChange(
            event=event.id,
            commit=event.commit,
            subject=subjects.get(event.commit),
            date=event.date,
            benchmark=change.benchmark,
            params=change.params,
            target=indices.get((change.machine, change.environment)),
            unit=change.unit or "unit",
            before=change.before,
            after=change.after,
            members=len(event.members),
            regressed=sum(members[each].direction == "regressed" for each in event.members if each in members),
            open=count_open(event, members),
            relative_change=change.relative_change,
            interval=None if change.interval is None else (change.interval.low, change.interval.high),
            direction=change.direction,
            status=change.status,
            chart=next((each for each in charts.get(event.id, ()) if each.change == change.id), None),
            alert=alerts.get(event.commit),
        )


def alert_summaries(alerts: Iterable[Alert]) -> dict[CommitHash, data.AlertSummary]:
    """Return the newest of *alerts* for each commit at which cases changed."""
    return {alert.location.commit: _alert_summary(alert) for alert in alerts if alert.location and alert.cases}


def _alert_summary(alert: Alert) -> data.AlertSummary:
    return data.AlertSummary(
        id=alert.id,
        state=alert.state,
        author=alert.issue.person if alert.issue else "",
        reason=alert.over,
        since=alert.updated,
    )


def count_open(event: ChangeEvent, members: Mapping[str, Change]) -> int:
    """Return how many regressions of *event* still hold; *members* are all changes by id."""
    return sum(_is_open(members[each]) for each in event.members if each in members)


def _representative(event: ChangeEvent, members: Mapping[str, Change], charts: Sequence[ChartData]) -> Change | None:
    """Return the largest open regression of *event* that has a chart, else its largest member."""
    known = [members[each] for each in event.members if each in members]
    charted = {each.change for each in charts}
    return max(
        known,
        key=lambda one: (_is_open(one), one.id in charted, factor_size(one.relative_change), one.id),
        default=None,
    )


def _is_open(change: Change) -> bool:
    return change.direction == "regressed" and change.status == "current"
