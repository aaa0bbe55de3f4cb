"""The rows of a results file, stored as JSON and parsed on access: 270 bytes each instead of 2,000."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import Any, NamedTuple, overload

import msgspec

from windtunnel.asv.results_format.file_parts import Json, unmask
from windtunnel.asv.results_format.json_values import Problems, loads
from windtunnel.asv.results_format.row_codec import row_of
from windtunnel.asv.results_format.row_layout import EMPTY_VALIDATED_NOTE, NAMES, Columns, ValidatedNote, combinations
from windtunnel.asv.results_format.row_repair import repaired_columns
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, ParameterGrid, text_of
from windtunnel.model.result import Failed, Measured, Row

MAX_FIELD = 200
"""Characters of the text of an unknown column."""

Cell = tuple[float | None, float | None, float | None]
"""Value and interval of a case as in the file: None failed, NaN was skipped."""


_columns = msgspec.json.Decoder(Columns).decode


class Start(NamedTuple):
    """Start of one version of a benchmark in a run."""

    name: BenchmarkName
    version: BenchmarkVersion | None
    started_at: Instant | None


class Cells(NamedTuple):
    """The cells of a row, one for each combination of parameters."""

    name: BenchmarkName
    version: BenchmarkVersion | None
    started_at: Instant | None
    params: tuple[tuple[str, ...], ...]
    cells: tuple[Cell, ...]


class _Beginning(msgspec.Struct, array_like=True, gc=False):
    """The first columns of a row."""

    result: msgspec.Raw
    params: msgspec.Raw
    version: BenchmarkVersion | None = None
    started_at: Instant | None = None


_beginning = msgspec.json.Decoder(_Beginning).decode


class LazyRows(Sequence[Row]):
    """Rows sorted by name; each access parses the checked JSON again."""

    __slots__ = ("_masked", "_names", "_notes", "_raws")

    def __init__(self, raws: Mapping[str, Json], notes: Mapping[str, ValidatedNote], *, masked: bool) -> None:
        """Store the JSON of each row in format 2; *masked* says whether NaN and Infinity are masked."""
        self._names, order = _sorted_names(tuple(raws))
        self._raws = tuple(itemgetter(*order)(tuple(raws.values()))) if len(order) > 1 else tuple(raws.values())
        self._notes = notes
        self._masked = masked

    @property
    def notes(self) -> Mapping[str, ValidatedNote]:
        """Data without a column, by the name of the row."""
        return self._notes

    def starts(self) -> Iterator[Start]:
        """Yield the start of each row, several times as fast as the rows themselves."""
        for name, raw in zip(self._names, self._raws, strict=True):
            try:
                begin = _beginning(raw)
                yield Start(name=name, version=begin.version, started_at=begin.started_at)
            except msgspec.DecodeError:  # a repaired row may hold NaN or Infinity
                row = self._row(name, raw)
                yield Start(name=name, version=row.version, started_at=row.started_at)

    def cells(self) -> Iterator[Cells]:
        """Yield the cells of each row, several times as fast as the rows themselves."""
        for name, raw in zip(self._names, self._raws, strict=True):
            columns = columns_in(raw, masked=self._masked)
            grid = tuple(map(tuple, columns.params)) if columns.params else ()
            version = None if columns.version is None else BenchmarkVersion(columns.version)
            started_at = None if columns.started_at is None else Instant(columns.started_at)
            yield Cells(name, version, started_at, grid, _cells(columns))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._names)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
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
        return self._names, self._raws, self._notes, self._masked

    def __hash__(self) -> int:
        """Return the hash of the rows as a tuple."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Return the representation of the rows as a tuple."""
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows as a tuple."""
        return tuple, (tuple(self),)

    def _row(self, name: BenchmarkName, raw: Json) -> Row:
        return row_of(name, columns_in(raw, masked=self._masked), self._notes.get(name, EMPTY_VALIDATED_NOTE))


def columns_in(raw: Json, *, masked: bool) -> Columns:
    """Return the columns of a row that has been checked."""
    content = unmask(bytes(raw)) if masked else bytes(raw)
    try:
        return _columns(content)
    except msgspec.DecodeError:  # NaN, Infinity, or numbers out of range
        return repaired_columns("", dict(zip(NAMES, loads(content.decode()), strict=False)), Problems(""))


def _cells(columns: Columns) -> tuple[Cell, ...]:
    if not columns.result:
        return ((None, None, None),) * combinations(columns.params)
    lows = columns.ci_99_a or repeat(None)
    return tuple(zip(columns.result, lows, columns.ci_99_b or repeat(None), strict=False))


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


Key = tuple[BenchmarkName, BenchmarkVersion | None, ParameterGrid]


_SKIPPED: Cell = (float("nan"), None, None)


def cells_of(rows: Sequence[Row]) -> Iterator[tuple[Key, Instant | None, Sequence[Cell]]]:
    """Yield each row: benchmark, version and parameters; its start; value and interval of each case."""
    if isinstance(rows, LazyRows):
        for name, version, started_at, grid, cells in rows.cells():
            yield (name, version, grid), started_at, cells
    else:
        for row in rows:
            yield (row.name, row.version, row.params), row.started_at, [_cell(result) for result in row.results]


def field_of(rows: Sequence[Row], name: str) -> Iterator[tuple[BenchmarkName, str]]:
    """Yield the unknown column *name* of those *rows* that have it, with the name of the row; long texts are cut."""
    notes = rows.notes.items() if isinstance(rows, LazyRows) else ((row.name, row) for row in rows)
    for benchmark, note in notes:
        if text := text_of(note.extra, name):
            yield BenchmarkName(benchmark), text[:MAX_FIELD]


def _cell(result: object) -> Cell:
    match result:
        case Measured(value=value, interval=None):
            return value, None, None
        case Measured(value=value, interval=interval) if interval:
            return value, interval.low, interval.high
        case Failed():
            return None, None, None
        case _:
            return _SKIPPED
