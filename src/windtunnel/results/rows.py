"""Rows of one benchmark in one version with the same parameters, to one; and which of several versions counts."""

from collections.abc import Iterable, Sequence
from math import fsum

from windtunnel.model.identity import Instant, ParameterGrid
from windtunnel.model.result import Row, Session
from windtunnel.model.result_part import Measured
from windtunnel.results.fields import merge_fields
from windtunnel.results.merge_rows import Candidate, merge_case, moment

RowKey = tuple[str, str, ParameterGrid]


def key_of(row: Row) -> RowKey:
    """Return what rows have to share to be about the same: name, version (none is a version too) and parameters."""
    return row.name, "" if row.version is None else f"={row.version}", row.params


def merge_rows(rows: Sequence[Row]) -> Row:
    """Return one row with what all of *rows*, which share their key, say."""
    cases = [merge_case(candidates) for candidates in zip(*map(_candidates, rows), strict=True)]
    started_at = max((row.started_at for row in rows), key=moment)
    times = tuple(case.started_at for case in cases)
    sessions = tuple(sorted({repr(each): each for row in rows for each in _sessions(row)}.values(), key=_session_key))
    return Row(
        name=rows[0].name,
        version=rows[0].version,
        params=rows[0].params,
        results=tuple(case.result for case in cases),
        started_at=started_at,
        duration=_total(sessions),
        case_started_at=() if all(time == started_at for time in times) else times,
        sessions=() if _says_nothing_new(sessions, started_at) else sessions,
        profile=max((row.profile for row in rows if row.profile is not None), default=None),
        extra=merge_fields(row.extra for row in rows),
    )


def winner(rows: Iterable[Row]) -> Row:
    """Return which of rows with the same name and different keys stands for the benchmark: the newest with a value."""
    return max(rows, key=lambda row: (_has_value(row), moment(row.started_at), key_of(row)))


def _candidates(row: Row) -> Sequence[Candidate]:
    times: Sequence[Instant | None] = row.case_started_at or (row.started_at,) * len(row.results)
    return [Candidate(result=result, started_at=time) for result, time in zip(row.results, times, strict=True)]


def _sessions(row: Row) -> Sequence[Session]:
    if row.sessions or row.duration is None:
        return row.sessions
    return (Session(started_at=row.started_at, duration=row.duration),)


def _total(sessions: Sequence[Session]) -> float | None:
    if len(sessions) < 2:
        return sessions[0].duration if sessions else None
    return fsum(session.duration for session in sessions)


def _session_key(session: Session) -> tuple[float, str]:
    return moment(session.started_at), repr(session.duration)


def _says_nothing_new(sessions: Sequence[Session], started_at: Instant | None) -> bool:
    return not sessions or (len(sessions) == 1 and sessions[0].started_at == started_at)


def _has_value(row: Row) -> bool:
    return any(isinstance(result, Measured) for result in row.results)
