"""The newest changes, as the first page tells them."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, log1p

from windtunnel.analysis.place import Place
from windtunnel.measurement import EnvironmentName, MachineName
from windtunnel.measurement.changes import Change, Changes, Direction, Event
from windtunnel.publish.timeline import TimedCommit
from windtunnel.publish.value_table import ValueTable
from windtunnel.report.history_data import RecentChange
from windtunnel.report.series_columns import SPARK_LENGTH, sparkline

MOST = 10
"""Events; more are on the page of changes."""

Case = tuple[str, tuple[str, ...], int]
Where = Mapping[tuple[MachineName, EnvironmentName], int]


def recent_changes(
    changes: Changes, table: ValueTable, places: Sequence[Place], commits: Sequence[TimedCommit]
) -> tuple[RecentChange, ...]:
    """Return the newest events of *changes*, the newest first."""
    members = {change.id: change for change in changes.changes}
    order = {each.hash: index for index, each in enumerate(commits)}
    events = sorted(changes.events, key=lambda event: (order.get(event.commit, -1), event.id), reverse=True)
    told = [(event, each) for event in events if (each := _largest(event, members))][:MOST]
    where: Where = {(place.machine, place.environment): index for index, place in enumerate(places)}
    cases = {_case(change, where) for _, change in told}
    sparks = dict(_sparks(table, cases))
    subjects = {each.hash: each.commit.subject for each in commits if each.commit}
    return tuple(
        RecentChange(
            event=event.id,
            commit=event.commit,
            subject=subjects.get(event.commit),
            date=event.date,
            benchmark=change.benchmark,
            params=change.params,
            place=where.get((change.machine, change.environment)),
            members=len(event.members),
            regressed=sum(members[each].direction is Direction.REGRESSED for each in event.members if each in members),
            relative_change=change.relative_change,
            status=change.status,
            spark=sparks.get(_case(change, where), ""),
        )
        for event, change in told
    )


def _largest(event: Event, members: Mapping[str, Change]) -> Change | None:
    there = [members[each] for each in event.members if each in members]
    return max(there, key=lambda change: (_size(change), change.id), default=None)


def _size(change: Change) -> float:
    relative = change.relative_change
    return inf if relative is None or relative <= -1 else abs(log1p(relative))


def _case(change: Change, where: Where) -> Case:
    return change.benchmark, change.params, where.get((change.machine, change.environment), -1)


def _sparks(table: ValueTable, cases: set[Case]) -> Iterator[tuple[Case, str]]:
    for key, place, rows in table.lines():
        case = (table.benchmarks[key.benchmark].name, key.params, place)
        if case in cases:
            yield case, sparkline(table.value[rows[-SPARK_LENGTH:]].tolist())
