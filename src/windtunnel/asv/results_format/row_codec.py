"""Converts between the columns of a file and ``Row``."""

from collections.abc import Iterable, Sequence
from itertools import repeat
from math import inf, isfinite
from statistics import quantiles
from typing import Any, assert_never

from asv_runner.statistics import compute_stats

from windtunnel.asv.results_format.json_values import loads
from windtunnel.asv.results_format.row_layout import EMPTY_VALIDATED_NOTE, Columns, Note, ValidatedNote, combinations
from windtunnel.errors import DataError
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant
from windtunnel.model.result import Failed, Interval, Measured, Result, Row, Skipped

SIGNIFICANT_DIGITS = 5
"""Digits of intervals and quartiles in asv's files."""

FAILED = Failed()
SKIPPED = Skipped()


def row_of(name: BenchmarkName, columns: Columns, note: ValidatedNote = EMPTY_VALIDATED_NOTE) -> Row:
    """Return the row called *name*; *columns* and *note* are checked."""
    count = combinations(columns.params)
    return Row(
        name=name,
        version=None if columns.version is None else BenchmarkVersion(columns.version),
        params=tuple(map(tuple, columns.params)) if columns.params else (),
        results=_results(columns, note, count),
        started_at=None if columns.started_at is None else Instant(columns.started_at),
        duration=_finite(columns.duration),
        case_started_at=_case_started_at(columns, note),
        sessions=note.sessions,
        profile=columns.profile,
        extra=note.extra,
    )


def values_of(row: Row) -> list[Any]:
    """Return the columns of *row* as asv writes them: a column of nulls is null, trailing nulls are dropped."""
    measured = [result if isinstance(result, Measured) else None for result in row.results]
    values = [
        _list(map(_value, row.results)),
        [list(parameter) for parameter in row.params],
        row.version,
        row.started_at,
        row.duration,
        _list(m.interval.low if m and m.interval else None for m in measured),
        _list(m.interval.high if m and m.interval else None for m in measured),
        _list(m.quartiles.low if m and m.quartiles else None for m in measured),
        _list(m.quartiles.high if m and m.quartiles else None for m in measured),
        _list(m.number if m else None for m in measured),
        _list(m.repeat if m else None for m in measured),
        _list(list(m.samples) if m and m.samples is not None else None for m in measured),
        row.profile,
    ]
    while values[-1] is None:
        values.pop()
    return values


def note_of(row: Row) -> Note:
    """Return the data of *row* that has no column."""
    sizes = (result.process_sizes if isinstance(result, Measured) else None for result in row.results)
    return Note(
        process_sizes=_list(None if size is None else list(size) for size in sizes),
        started_at=list(row.case_started_at) or None,
        sessions=[(session.started_at, session.duration) for session in row.sessions],
        extra={extra.name: loads(extra.json) for extra in row.extra},
    )


def compute_statistics(samples: Sequence[float]) -> tuple[float, Interval, Interval]:
    """Return median, interval and quartiles as asv computes them."""
    try:
        value, stats = compute_stats(samples, None)
    except ArithmeticError:  # numbers close to the limits of a float
        low, value, high = quantiles(samples, n=4, method="inclusive")
        return value, Interval(low=-inf, high=inf), Interval(low=low, high=high)
    ends = [float(f"{stats[name]:.{SIGNIFICANT_DIGITS - 1}e}") for name in ("ci_99_a", "ci_99_b", "q_25", "q_75")]
    return value, Interval(low=ends[0], high=ends[1]), Interval(low=ends[2], high=ends[3])


def _results(columns: Columns, note: ValidatedNote, count: int) -> tuple[Result, ...]:
    if not columns.result:
        return (FAILED,) * count
    return tuple(
        map(
            _result,
            columns.result,
            _each(columns.ci_99_a),
            _each(columns.ci_99_b),
            _each(columns.q_25),
            _each(columns.q_75),
            _each(columns.number),
            _each(columns.repeat),
            _each(columns.samples),
            _each(note.process_sizes),
        )
    )


def _each(column: Sequence[Any] | None) -> Iterable[Any]:
    return column or repeat(None)


def _result(  # noqa: PLR0913, PLR0917 - one argument for each column, in the order of the file
    value: float | None,
    low: float | None,
    high: float | None,
    q_25: float | None,
    q_75: float | None,
    number: int | None,
    repeats: int | None,
    samples: list[float] | None,
    sizes: list[int] | None,
    /,
) -> Result:
    if value is None:
        return FAILED
    if value != value:  # noqa: PLR0124 - NaN
        return SKIPPED
    return Measured(
        value=value,
        interval=_interval(low, high),
        quartiles=_interval(q_25, q_75),
        number=number,
        repeat=repeats,
        samples=None if samples is None else tuple(samples),
        process_sizes=None if sizes is None or samples is None else tuple(sizes),
    )


def _interval(low: float | None, high: float | None) -> Interval | None:
    if low is None or high is None or low != low or high != high:  # noqa: PLR0124 - NaN
        return None
    return Interval(low=low, high=high)


def _finite(seconds: float | None) -> float | None:
    return seconds if seconds is not None and isfinite(seconds) else None


def _case_started_at(columns: Columns, note: ValidatedNote) -> tuple[Instant | None, ...]:
    instants = note.started_at
    if instants is None or all(instant == columns.started_at for instant in instants):
        return ()
    return tuple(None if instant is None else Instant(instant) for instant in instants)


def _value(result: Result) -> float | None:
    match result:
        case Measured(value=value):
            if not isinstance(value, int | float):
                raise DataError(f"{value!r:.60} is not a number; the value of a benchmark must be one")
            return value
        case Failed():
            return None
        case Skipped():
            return float("nan")
        case _:
            assert_never(result)


def _list(values: Iterable[Any]) -> list[Any] | None:
    column = list(values)
    return None if all(value is None for value in column) else column
