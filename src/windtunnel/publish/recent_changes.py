"""The newest changes, as the first page tells them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log1p

import numpy as np

from windtunnel.detect.format import Change, ChangeEvent, DetectedChanges, Direction
from windtunnel.model.identity import CommitHash, EnvironmentName, MachineName
from windtunnel.model.target import Target
from windtunnel.publish.format.front import RecentChange
from windtunnel.publish.series_columns import SPARK_LENGTH, sparklines
from windtunnel.publish.timeline import TimedCommit
from windtunnel.results.value_table import ValueTable

MOST = 10
"""Events; more are on the page of changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spark:
    """A sparkline with its limits, and the places where a new level begins."""

    line: str
    low: str
    high: str
    marks: tuple[int, ...]


NO_SPARK = _Spark(line="", low="", high="", marks=())

Case = tuple[str, tuple[str, ...], int]
Where = Mapping[tuple[MachineName, EnvironmentName], int]


def recent_changes(
    changes: DetectedChanges, table: ValueTable, places: Sequence[Target], commits: Sequence[TimedCommit]
) -> tuple[RecentChange, ...]:
    """Return the newest events of *changes*, the newest first."""
    members = {change.id: change for change in changes.changes}
    order = {each.hash: index for index, each in enumerate(commits)}
    events = sorted(changes.events, key=lambda event: (order.get(event.commit, -1), event.id), reverse=True)
    told = [(event, each) for event in events if (each := _largest(event, members))][:MOST]
    where: Where = {(place.machine, place.environment): index for index, place in enumerate(places)}
    cases = {_case(change, where) for _, change in told}
    starts = _starts(changes, where, order)
    sparks = dict(_sparks(table, cases, starts))
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
            interval=None if change.interval is None else (change.interval.low, change.interval.high),
            status=change.status,
            spark=spark.line,
            spark_low=spark.low,
            spark_high=spark.high,
            marks=spark.marks,
        )
        for event, change in told
        for spark in (sparks.get(_case(change, where), NO_SPARK),)
    )


def _largest(event: ChangeEvent, members: Mapping[str, Change]) -> Change | None:
    there = [members[each] for each in event.members if each in members]
    return max(there, key=lambda change: (_size(change), change.id), default=None)


def _size(change: Change) -> float:
    relative = change.relative_change
    return inf if relative is None or relative <= -1 else abs(log1p(relative))


def _case(change: Change, where: Where) -> Case:
    return change.benchmark, change.params, where.get((change.machine, change.environment), -1)


def _starts(changes: DetectedChanges, where: Where, order: Mapping[CommitHash, int]) -> dict[Case, set[int]]:
    """Return the commits at which each case begins a new level."""
    found: dict[Case, set[int]] = defaultdict(set)
    for change in changes.changes:
        if change.commit in order:
            found[_case(change, where)].add(order[change.commit])
    return found


def _sparks(table: ValueTable, cases: set[Case], starts: Mapping[Case, set[int]]) -> Iterator[tuple[Case, _Spark]]:
    for key, place, rows in table.lines():
        case = (table.benchmarks[key.benchmark].name, key.params, place)
        if case in cases:
            last = rows[-SPARK_LENGTH:]
            line, low, high = sparklines(*(column[last].tolist() for column in (table.value, table.low, table.high)))
            marks = np.flatnonzero(np.isin(table.commit[last], list(starts.get(case, ()))))
            yield case, _Spark(line=line, low=low, high=high, marks=tuple(marks.tolist()))
