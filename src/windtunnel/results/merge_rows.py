"""Merges the rows of one benchmark, and the results of one case that was measured several times."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, inf, isfinite

from windtunnel.asv.results_format.rows import compute_statistics
from windtunnel.model.identity import Field, Fields, Instant, ParameterGrid
from windtunnel.model.run import Failed, Measured, Result, Row, Session, Skipped


def merge_fields(sources: Iterable[Fields]) -> Fields:
    """Return every field; ties are broken by lexicographic order, which does not depend on the order of sources."""
    merged: dict[str, Field] = {}
    for fields in sources:
        for field in fields:
            merged[field.name] = max(field, merged.get(field.name, field))
    return tuple(sorted(merged.values()))


def differences(one: Fields, other: Fields) -> tuple[str, ...]:
    """Return the names of the fields that have different values in both."""
    known = {field.name: field.json for field in one}
    return tuple(field.name for field in other if known.get(field.name, field.json) != field.json)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedResult:
    """A result of a case."""

    result: Result
    """The result."""
    started_at: Instant | None
    """When the measurement started."""


def merge_case(candidates: Sequence[TimedResult]) -> TimedResult:
    """Return one result for all *candidates* (at least one) of a case.

    All samples are kept, each process once, and statistics are computed from all of them. Without samples the newest
    value is used. A value takes precedence over a failure, and a failure over a skip: asv also writes *skipped* for
    cases that were not selected.
    """
    sampled = [each for each in candidates if isinstance(each.result, Measured) and _finite(each.result.samples)]
    if not sampled:
        return max(candidates, key=_rank)
    results = [each.result for each in sampled if isinstance(each.result, Measured)]
    return TimedResult(result=_combine(results), started_at=max((each.started_at for each in sampled), key=moment))


def moment(started_at: Instant | None) -> float:
    """Return *started_at* as a sort key; unknown comes first."""
    return -inf if started_at is None else started_at


def _rank(candidate: TimedResult) -> tuple[int, float, str]:
    kind = {Measured: 2, Failed: 1, Skipped: 0}[type(candidate.result)]
    return kind, moment(candidate.started_at), repr(candidate.result)


def _combine(results: Sequence[Measured]) -> Measured:
    """Return one result with the processes of all *results*; equal processes are one process."""
    times: Counter[str] = Counter()
    by_text: dict[str, tuple[float, ...]] = {}
    for result in results:
        by_text |= {repr(process): process for process in result.processes}
        times |= Counter(map(repr, result.processes))
    processes = [by_text[text] for text in sorted(times.elements())]
    if len(processes) == 1:
        return max(results, key=repr)
    numbers = [result.number for result in results if result.number is not None]
    return _from_processes(processes, max(numbers, default=None))


def _from_processes(processes: Sequence[tuple[float, ...]], number: int | None) -> Measured:
    samples = tuple(value for process in processes for value in process)
    value, interval, quartiles = compute_statistics(_finite(samples))
    return Measured(
        value=value,
        interval=interval,
        quartiles=quartiles,
        number=number,
        repeat=len(samples),
        samples=samples,
        process_sizes=tuple(map(len, processes)),
    )


def _finite(samples: Sequence[float] | None) -> tuple[float, ...]:
    return tuple(value for value in samples or () if isfinite(value))


RowKey = tuple[str, str, ParameterGrid]


def key_of(row: Row) -> RowKey:
    """Return the key of rows that can be merged: name, version (a missing one included) and parameters."""
    return row.name, "" if row.version is None else f"={row.version}", row.params


def merge_rows(rows: Sequence[Row]) -> Row:
    """Return one row for all *rows*, which share their key."""
    cases = [merge_case(candidates) for candidates in zip(*map(_candidates, rows), strict=True)]
    started_at = max((row.started_at for row in rows), key=moment)
    times = tuple(case.started_at for case in cases)
    by_text = {repr(each): each for row in rows for each in _sessions(row)}
    sessions = tuple(sorted(by_text.values(), key=lambda each: (moment(each.started_at), repr(each.duration))))
    is_redundant = len(sessions) == 1 and sessions[0].started_at == started_at
    return Row(
        name=rows[0].name,
        version=rows[0].version,
        params=rows[0].params,
        results=tuple(case.result for case in cases),
        started_at=started_at,
        duration=_total(sessions),
        case_started_at=() if all(time == started_at for time in times) else times,
        sessions=() if is_redundant else sessions,
        profile=max((row.profile for row in rows if row.profile is not None), default=None),
        extra=merge_fields(row.extra for row in rows),
    )


def winner(rows: Iterable[Row]) -> Row:
    """Return the row to use for the benchmark, of rows with one name and different keys: the newest with a value."""
    return max(rows, key=lambda row: (_has_value(row), moment(row.started_at), key_of(row)))


def _has_value(row: Row) -> bool:
    return any(isinstance(result, Measured) for result in row.results)


def _candidates(row: Row) -> Sequence[TimedResult]:
    times: Sequence[Instant | None] = row.case_started_at or (row.started_at,) * len(row.results)
    return [TimedResult(result=result, started_at=time) for result, time in zip(row.results, times, strict=True)]


def _sessions(row: Row) -> Sequence[Session]:
    if row.sessions or row.duration is None:
        return row.sessions
    return (Session(started_at=row.started_at, duration=row.duration),)


def _total(sessions: Sequence[Session]) -> float | None:
    if len(sessions) < 2:
        return sessions[0].duration if sessions else None
    return fsum(session.duration for session in sessions)
