"""The rows of a results file: kept as JSON that was checked, parsed on access, and written.

A row takes 270 bytes as JSON, and 2,000 as a value.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from math import inf
from operator import itemgetter
from statistics import quantiles
from typing import Any, NamedTuple, assert_never

import msgspec
from asv_runner.statistics import compute_stats

from windtunnel.asv.results_format.json_values import Json, loads
from windtunnel.asv.results_format.layout import EMPTY_NOTE, Columns, Note, combinations, fields_of
from windtunnel.asv.results_format.repair import columns_in
from windtunnel.errors import DataError
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, ParameterGrid, text_of
from windtunnel.model.run import Failed, Interval, Measured, Result, Row, Session, Skipped

SIGNIFICANT_DIGITS = 5
"""Digits of intervals and quartiles in asv's files."""

FAILED = Failed()
SKIPPED = Skipped()


def row_of(name: BenchmarkName, columns: Columns, note: Note = EMPTY_NOTE) -> Row:
    """Return the row called *name*; *columns* and *note* are checked."""
    count = combinations(columns.params)
    return Row(
        name=name,
        version=None if columns.version is None else BenchmarkVersion(columns.version),
        params=tuple(map(tuple, columns.params)) if columns.params else (),
        results=_results(columns, note, count),
        started_at=_instant(columns.started_at),
        duration=columns.duration,
        case_started_at=_case_started_at(columns, note),
        sessions=tuple(Session(started_at=_instant(start), duration=seconds) for start, seconds in note.sessions),
        profile=columns.profile,
        extra=fields_of(note),
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


def _results(columns: Columns, note: Note, count: int) -> tuple[Result, ...]:
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
    return None if low is None or high is None else Interval(low=low, high=high)


def _case_started_at(columns: Columns, note: Note) -> tuple[Instant | None, ...]:
    instants = note.started_at
    if instants is None or all(instant == columns.started_at for instant in instants):
        return ()
    return tuple(map(_instant, instants))


def _instant(value: int | None) -> Instant | None:
    return None if value is None else Instant(value)


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


MAX_FIELD = 200
"""Characters of the text of an unknown column."""

SHORT = 1e-3
"""Seconds, a tenth of asv's ``sample_time``. asv repeats a shorter call within a sample, unless ``number`` is 1."""

Cell = tuple[float | None, float | None, float | None]
"""Value and interval of a case as in the file: None failed, NaN was skipped."""


class Start(NamedTuple):
    """Start of one version of a benchmark in a run."""

    name: BenchmarkName
    version: BenchmarkVersion | None
    started_at: Instant | None


Key = tuple[BenchmarkName, BenchmarkVersion | None, ParameterGrid]
"""What a row is about."""


CellRow = tuple[Key, Instant | None, Sequence[Cell], bool]
"""A row, its start, its cells, and whether samples of a case that takes less than SHORT are single calls."""


class _Beginning(msgspec.Struct, array_like=True, gc=False):
    """The first columns of a row."""

    result: msgspec.Raw
    params: msgspec.Raw
    version: BenchmarkVersion | None = None
    started_at: Instant | None = None


_beginning = msgspec.json.Decoder(_Beginning).decode


class LazyRows(Sequence[Row]):
    """Rows sorted by name; each access parses the checked JSON again."""

    __slots__ = ("_masked", "_names", "_raws", "notes")

    def __init__(self, raws: Mapping[str, Json], notes: Mapping[str, Note], *, masked: bool) -> None:
        """Store the JSON of each row in format 2; *masked* says whether NaN and Infinity are masked."""
        self._names, order = _sorted_names(tuple(raws))
        self._raws = tuple(itemgetter(*order)(tuple(raws.values()))) if len(order) > 1 else tuple(raws.values())
        self.notes = notes
        """Data without a column, by the name of the row."""
        self._masked = masked

    def starts(self) -> Iterator[Start]:
        """Yield the start of each row, several times as fast as the rows themselves."""
        for name, raw in zip(self._names, self._raws, strict=True):
            try:
                begin = _beginning(raw)
                yield Start(name=name, version=begin.version, started_at=begin.started_at)
            except msgspec.DecodeError:  # a repaired row may hold NaN or Infinity
                row = self._row(name, raw)
                yield Start(name=name, version=row.version, started_at=row.started_at)

    def cells(self) -> Iterator[CellRow]:
        """Yield each row as `cells_of` does, several times as fast as the rows themselves."""
        for name, raw in zip(self._names, self._raws, strict=True):
            columns = columns_in(raw, masked=self._masked)
            grid = tuple(map(tuple, columns.params)) if columns.params else ()
            version = None if columns.version is None else BenchmarkVersion(columns.version)
            yield (name, version, grid), _instant(columns.started_at), _cells(columns), _has_single_calls(columns)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._names)

    def __getitem__(self, index: Any) -> Any:
        """Return one row, or a tuple for a slice."""
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        return self._row(self._names[index], self._raws[index])

    def __iter__(self) -> Iterator[Row]:
        """Yield each row."""
        return map(self._row, self._names, self._raws)

    def __eq__(self, other: object) -> bool:
        """Return whether *other* is a sequence of equal rows."""
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        if isinstance(other, LazyRows) and self._contents() == other._contents():
            return True
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def _contents(self) -> tuple[object, ...]:
        return self._names, self._raws, self.notes, self._masked

    def __hash__(self) -> int:
        """Return the hash of the rows as a tuple."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Return the representation of the rows as a tuple."""
        return repr(tuple(self))

    def _row(self, name: BenchmarkName, raw: Json) -> Row:
        return row_of(name, columns_in(raw, masked=self._masked), self.notes.get(name, EMPTY_NOTE))


def _cells(columns: Columns) -> tuple[Cell, ...]:
    if not columns.result:
        return ((None, None, None),) * combinations(columns.params)
    lows = columns.ci_99_a or repeat(None)
    return tuple(zip(columns.result, lows, columns.ci_99_b or repeat(None), strict=False))


def _has_single_calls(columns: Columns) -> bool:
    numbers = columns.number
    if not numbers or 1 not in numbers or not columns.result:
        return False
    return any(
        number == 1 and value is not None and 0 < value < SHORT
        for number, value in zip(numbers, columns.result, strict=False)
    )


@lru_cache(maxsize=256)
def _sorted_names(names: tuple[str, ...]) -> tuple[tuple[BenchmarkName, ...], tuple[int, ...]]:
    """Return *names* sorted, and their old positions; the runs of a history share the result."""
    order = sorted(range(len(names)), key=names.__getitem__)
    return tuple(BenchmarkName(names[index]) for index in order), tuple(order)


def starts(rows: Sequence[Row]) -> Iterator[Start]:
    """Yield the start of each of *rows*."""
    if isinstance(rows, LazyRows):
        yield from rows.starts()
    else:
        yield from (Start(name=row.name, version=row.version, started_at=row.started_at) for row in rows)


def cells_of(rows: Sequence[Row]) -> Iterator[CellRow]:
    """Yield each of *rows* as a CellRow: value and interval of each case, not parsed further."""
    if isinstance(rows, LazyRows):
        yield from rows.cells()
    else:
        for row in rows:
            columns = Columns(*values_of(row))
            yield (row.name, row.version, row.params), row.started_at, _cells(columns), _has_single_calls(columns)


def field_of(rows: Sequence[Row], name: str) -> Iterator[tuple[BenchmarkName, str]]:
    """Yield the unknown column *name* of those *rows* that have it, with the name of the row; long texts are cut."""
    if isinstance(rows, LazyRows):
        extras = [(BenchmarkName(benchmark), fields_of(note)) for benchmark, note in rows.notes.items()]
    else:
        extras = [(row.name, row.extra) for row in rows]
    for benchmark, extra in extras:
        if text := text_of(extra, name):
            yield benchmark, text[:MAX_FIELD]
