"""Segments: the results of many old runs at one target, packed into one Parquet file.

A segment has a row for each case; DuckDB, pandas and others read it (docs/data.md). Its metadata list the runs and the
cases, so a reader sees which runs it has without unpacking values. A segment never changes; its name is a digest of its
content. A run is packed only if it comes back equal.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from windtunnel.asv.results_format.run_file import decode_run, encode_run
from windtunnel.errors import DataError
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Fields, Instant, ParameterGrid, Parameters
from windtunnel.model.instructions import COUNTED_WITH
from windtunnel.model.result import Failed, Interval, Measured, Result, Row, Session, Skipped
from windtunnel.model.run import Problem, Run
from windtunnel.model.target import TargetKey
from windtunnel.results.columns import (
    CaseKey,
    CaseNumbers,
    Floats,
    Indices,
    RunValues,
    UnkeptRows,
    ValueColumns,
    concatenate,
)
from windtunnel.results.parquet import Column, ParquetTable, Texts, write_table

PACKED = "packed"
"""The folder of the segments, beside those of the machines; asv ignores it."""
SUFFIX = ".parquet"
METADATA = "windtunnel.segment/1"
MIN_RUNS, MAX_RUNS = 64, 512
"""Runs of a segment that is written."""
MAX_CASES = 200_000
"""Rows of a segment that is written."""
MAX_SEGMENT_BYTES = 64 * 2**20
MAX_SEGMENTS = 20_000
KEPT_OPEN = 2
"""Segments whose columns are in memory at once."""

NUMERIC = ("value", "low", "high", "q25", "q75", "number", "repeat")
"""Columns of numbers that may be unknown."""

T = TypeVar("T")


class _RowRest(msgspec.Struct, array_like=True, omit_defaults=True):
    """What the columns do not have of a row: what most rows do not have either."""

    case_started_at: tuple[Instant | None, ...] = ()
    sessions: tuple[Session, ...] = ()
    profile: str | None = None
    extra: Fields = ()
    process_sizes: tuple[tuple[int, ...] | None, ...] = ()


class _PackedRun(msgspec.Struct, array_like=True):
    """A run of a segment."""

    run: str
    """Its results file without results."""
    rows: int
    """The number of its cases, which follow those of the run before."""
    newest: Instant
    counted_with: tuple[tuple[BenchmarkName, str], ...]


class _Metadata(msgspec.Struct):
    checksum: int
    """CRC-32 of everything before the metadata."""
    cases: list[CaseKey]
    """The cases; the column *case* has indices."""
    runs: list[_PackedRun]


def pack(runs: Sequence[Run]) -> bytes:
    """Return the segment of *runs*; raises DataError where one of them would not come back equal."""
    numbers, cases, packed = CaseNumbers(), list[tuple[int, int, Row, Parameters, Result]](), []
    positions = list[int]()
    for index, run in enumerate(runs):
        before = len(cases)
        for row in run.rows:
            for position, (params, result) in enumerate(row.cases()):
                cases.append((index, numbers.number(CaseKey(row.name, row.version, params)), row, params, result))
                positions.append(position)
        newest = max((row.started_at or 0 for row in run.rows), default=0)
        counted = tuple((row.name, each.text) for row in run.rows for each in row.extra if each.name == COUNTED_WITH)
        header = encode_run(replace(run, rows=())).decode()
        packed.append(_PackedRun(header, len(cases) - before, Instant(newest), counted))
    numeric = zip(*(_cells(result) for *_, result in cases), strict=True) if cases else ((),) * len(NUMERIC)
    samples = (result.samples if isinstance(result, Measured) else None for *_, result in cases)
    columns: dict[str, Column] = {
        "commit": Texts.of([runs[index].commit for index, *_ in cases]),
        "date": np.array([runs[index].date for index, *_ in cases], np.int64),
        "machine": Texts.of([runs[index].machine for index, *_ in cases]),
        "environment": Texts.of([runs[index].environment.name for index, *_ in cases]),
        "python": Texts.of([runs[index].environment.python for index, *_ in cases]),
        "benchmark": Texts.of([row.name for _, _, row, _, _ in cases]),
        "version": Texts.of([row.version for _, _, row, _, _ in cases]),
        "params": Texts.of([_json(params) for *_, params, _ in cases]),
        "state": Texts.of([type(result).__name__.lower() for *_, result in cases]),
        **{name: _floats(column) for name, column in zip(NUMERIC, numeric, strict=True)},
        "samples": Texts.of([None if each is None else _json(each) for each in samples]),
        "started_at": np.array([row.started_at or 0 for _, _, row, _, _ in cases], np.int64),
        "duration": _floats(row.duration for _, _, row, _, _ in cases),
        "case": np.array([number for _, number, *_ in cases], np.int64),
        "position": np.array(positions, np.int64),
        "grid": Texts.of([_json(row.params) for _, _, row, _, _ in cases]),
        "more": Texts.of(
            [_rest(row) if at == 0 else None for (_, _, row, _, _), at in zip(cases, positions, strict=True)]
        ),
    }

    def describe(checksum: int) -> bytes:
        return msgspec.json.encode(_Metadata(checksum=checksum, cases=numbers.keys, runs=packed))

    try:
        content = write_table(columns, METADATA, describe)
    except UnicodeEncodeError as error:
        raise DataError(f"a name in the results, {error.object[:80]!a}, is not valid text") from None
    for run, again in zip(runs, Segment(content, "the new segment").runs(content), strict=True):
        if again != replace(run, rows=tuple(run.rows)):
            raise DataError(f"{run.source} holds what a segment cannot keep")
    return content


def _cells(result: Result) -> tuple[float | None, ...]:
    """Return the columns NUMERIC of *result*."""
    if not isinstance(result, Measured):
        return (None,) * len(NUMERIC)
    limits, quartiles = (
        (None, None) if each is None else (each.low, each.high) for each in (result.interval, result.quartiles)
    )
    return result.value, *limits, *quartiles, result.number, result.repeat


def _rest(row: Row) -> str | None:
    sizes = tuple(each.process_sizes if isinstance(each, Measured) else None for each in row.results)
    rest = _RowRest(
        case_started_at=row.case_started_at,
        sessions=row.sessions,
        profile=row.profile,
        extra=row.extra,
        process_sizes=sizes if any(sizes) else (),
    )
    return None if rest == _RowRest() else _json(rest)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if each is None else each for each in values], np.float64)


def pack_all(runs: Iterable[Run]) -> Iterator[tuple[bytes, tuple[Run, ...]]]:
    """Yield segments of *runs*, each with its runs: those of one target by date, at least MIN_RUNS in a segment.

    Runs that are too few, or that a segment cannot keep, are left out.
    """
    by_target = defaultdict[TargetKey, list[Run]](list)
    for run in runs:
        by_target[run.machine, run.environment.name].append(run)
    for found in by_target.values():
        kept = list[Run]()
        cases = 0
        for run in sorted(found, key=lambda run: (run.date, run.commit)):
            count = sum(len(row.results) for row in run.rows)
            if len(kept) >= MIN_RUNS and (len(kept) == MAX_RUNS or cases + count > MAX_CASES):
                yield from _packed(kept)
                kept, cases = [], 0
            kept.append(run)
            cases += count
        yield from _packed(kept)


def _packed(runs: list[Run]) -> Iterator[tuple[bytes, tuple[Run, ...]]]:
    if len(runs) < MIN_RUNS:
        return
    try:
        yield pack(runs), tuple(runs)
    except DataError:
        good = [run for run in runs if _can_keep(run)]
        if MIN_RUNS <= len(good) < len(runs):
            yield pack(good), tuple(good)


def _can_keep(run: Run) -> bool:
    try:
        return bool(pack([run]))
    except DataError:
        return False


def segment_path(content: bytes) -> str:
    """Return the path of the segment *content* in a results tree."""
    return f"{PACKED}/{blake2b(content, digest_size=16).hexdigest()}{SUFFIX}"


class Segment:
    """A segment: its runs and cases. Values are read when they are used."""

    def __init__(self, content: bytes, source: str) -> None:
        """Read the metadata; raises DataError, which names *source*, where it is damaged."""
        table = ParquetTable(content, source)
        try:
            self._metadata = msgspec.json.decode(table.described[METADATA], type=_Metadata)
        except (KeyError, msgspec.MsgspecError):
            raise DataError(f"{source} is not a segment; its metadata are not those of one") from None
        if self._metadata.checksum != table.checksum:
            raise DataError(f"{source} is damaged: its checksum is another one")
        if sum(max(0, run.rows) for run in self._metadata.runs) != table.rows:
            raise DataError(f"{source} is damaged: its runs have another number of cases than it has")
        self.source, self.checksum = source, table.checksum

    @property
    def cases(self) -> Sequence[CaseKey]:
        """The cases."""
        return self._metadata.cases

    def headers(self) -> list[tuple[Run, _PackedRun]]:
        """Return each run without rows; raises DataError where one cannot be read."""
        found = []
        for packed in self._metadata.runs:
            decoded = decode_run(packed.run.encode(), self.source)
            if decoded.value is None:
                raise DataError(f"{self.source} is damaged: one of its runs cannot be read")
            found.append((decoded.value, packed))
        return found

    def runs(self, content: bytes) -> Iterator[Run]:
        """Yield each run with its rows from the *content* of the segment."""
        table = ParquetTable(content, self.source)
        starts = np.flatnonzero(table.integers("position") == 0)
        ends = np.append(starts[1:], table.rows)
        results, rows = list(_results(table)), _RowReader(table)
        start = 0
        for run, packed in self.headers():
            chosen = np.flatnonzero((starts >= start) & (starts < start + packed.rows))
            start += packed.rows
            found = (rows.row(int(starts[each]), results[starts[each] : ends[each]]) for each in chosen)
            yield replace(run, rows=tuple(found))


class _RowReader:
    """Builds rows from the columns that have their fields."""

    def __init__(self, table: ParquetTable) -> None:
        self._source = table.source
        self._name, self._version, self._more = (
            table.texts(name).to_list() for name in ("benchmark", "version", "more")
        )
        grids = table.texts("grid")
        self._grids = [_decoded(text, ParameterGrid, self._source) for text in grids.values]
        self._grid = grids.index.tolist()
        self._duration = _with_none(table.floats("duration"))
        self._started_at = table.integers("started_at").tolist()

    def row(self, start: int, results: Sequence[Result]) -> Row:
        """Return the row whose first case is at *start*."""
        more = self._more[start]
        rest = _RowRest() if more is None else _decoded(more, _RowRest, self._source)
        params, name = self._grids[self._grid[start]], self._name[start]
        fits = len(results) == prod(map(len, params)) and len(rest.process_sizes) in {0, len(results)}
        if name is None or not fits:
            raise DataError(f"{self._source} is damaged: a row has another number of cases")
        if rest.process_sizes:
            pairs = zip(results, rest.process_sizes, strict=True)
            results = [replace(one, process_sizes=sizes) if isinstance(one, Measured) else one for one, sizes in pairs]
        version = self._version[start]
        return Row(
            name=BenchmarkName(name),
            version=None if version is None else BenchmarkVersion(version),
            params=params,
            results=tuple(results),
            started_at=Instant(self._started_at[start]) or None,
            duration=self._duration[start],
            case_started_at=rest.case_started_at,
            sessions=rest.sessions,
            profile=rest.profile,
            extra=rest.extra,
        )


def _with_none(column: Floats) -> list[float | None]:
    found = column.astype(object)
    found[np.isnan(column)] = None
    return cast("list[float | None]", found.tolist())


def _results(table: ParquetTable) -> Iterator[Result]:
    cells = zip(*(_with_none(table.floats(name)) for name in NUMERIC), strict=True)
    states, samples = table.texts("state").to_list(), table.texts("samples").to_list()
    for state, text, (value, low, high, q25, q75, number, repeat) in zip(states, samples, cells, strict=True):
        if state != "measured" or value is None:
            yield Failed() if state == "failed" else Skipped()
            continue
        yield Measured(
            value=value,
            interval=None if low is None or high is None else Interval(low=low, high=high),
            quartiles=None if q25 is None or q75 is None else Interval(low=q25, high=q75),
            number=None if number is None else int(number),
            repeat=None if repeat is None else int(repeat),
            samples=None if text is None else _decoded(text, tuple[float, ...], table.source),
        )


def _decoded(text: str, cls: type[T], source: str) -> T:
    try:
        return msgspec.json.decode(text, type=cls)
    except msgspec.MsgspecError:
        raise DataError(f"{source} is damaged: a row cannot be read") from None


def _content(path: Path) -> bytes:
    """Return the content of a segment; raises DataError where it cannot be read."""
    try:
        size = path.stat().st_size
        if size > MAX_SEGMENT_BYTES:
            raise DataError(f"{path} has {size} bytes; at most {MAX_SEGMENT_BYTES} are read")
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None


class StoredSegment:
    """A segment in a folder, whose values are unpacked when they are used."""

    __slots__ = ("_cases", "_numbers", "_packed", "digest", "path", "runs")

    def __init__(self, path: Path) -> None:
        """Read the metadata; raises DataError where the segment is damaged."""
        segment = Segment(_content(path), str(path))
        headers = segment.headers()
        self.path, self._cases = path, segment.cases
        self._numbers = np.empty(0, np.int32)
        self._packed = tuple(packed for _, packed in headers)
        self.digest = f"{path.name} {segment.checksum}".encode()
        self.runs = tuple(
            replace(run, rows=SegmentRows(self, index), source=str(path)) for index, (run, _) in enumerate(headers)
        )

    def number_cases(self, numbers: CaseNumbers) -> None:
        """Number the cases of the segment in *numbers*, which `values` needs."""
        self._numbers = np.array([numbers.number(key) for key in self._cases], np.int32)
        self._cases = ()

    def values(self, index: int) -> RunValues:
        """Return the values of a run, whose columns are read when they are used."""
        packed = self._packed[index]
        start = sum(each.rows for each in self._packed[:index])
        return RunValues(
            columns=SegmentColumns(self, start, start + packed.rows),
            newest=packed.newest,
            counted_with=packed.counted_with,
            digest=blake2b(self.digest + index.to_bytes(4, "little"), digest_size=16).digest(),
        )

    def columns(self) -> ValueColumns:
        """Return the values of all cases; none where the values contradict the metadata."""
        try:
            table = ParquetTable(_content(self.path), str(self.path))
            case, (value, low, high) = table.integers("case"), map(table.floats, ("value", "low", "high"))
        except DataError:
            return concatenate([])
        if len(case) and not 0 <= case.min() <= case.max() < len(self._numbers):
            return concatenate([])
        return ValueColumns(case=self._numbers[case], value=value, low=low, high=high)

    def states(self) -> NDArray[np.bool_]:
        """Return which cases were tried."""
        states = ParquetTable(_content(self.path), str(self.path)).texts("state")
        skipped = states.values.index("skipped") if "skipped" in states.values else len(states.values)
        return np.not_equal(states.index, skipped)


@lru_cache(KEPT_OPEN)
def _columns_of(segment: StoredSegment) -> tuple[ValueColumns, NDArray[np.bool_]]:
    columns = segment.columns()
    return columns, segment.states() if len(columns) else np.empty(0, bool)


@lru_cache(1)
def _rows_of(segment: StoredSegment) -> tuple[Sequence[Row], ...]:
    content = _content(segment.path)
    return tuple(run.rows for run in Segment(content, str(segment.path)).runs(content))


class SegmentColumns(ValueColumns):
    """The values of a run in a segment, skipped cases left out; read when they are used."""

    __slots__ = ("_where",)
    _where: tuple[StoredSegment, slice]

    def __init__(self, segment: StoredSegment, start: int, end: int) -> None:
        """Remember where they are."""
        object.__setattr__(self, "_where", (segment, slice(start, end)))

    def _read(self, name: str) -> Any:
        segment, chosen = self._where
        columns, tried = _columns_of(segment)
        return getattr(columns, name)[chosen][tried[chosen]]

    @property
    def case(self) -> Indices:
        """The number of the case."""
        return cast("Indices", self._read("case"))

    @property
    def value(self) -> Floats:
        """NaN where the case failed."""
        return cast("Floats", self._read("value"))

    @property
    def low(self) -> Floats:
        """Lower limit of the interval."""
        return cast("Floats", self._read("low"))

    @property
    def high(self) -> Floats:
        """Upper limit of the interval."""
        return cast("Floats", self._read("high"))


class SegmentRows(UnkeptRows):
    """The rows of a run in a segment, which are unpacked each time they are used."""

    __slots__ = ("position", "segment")

    def __init__(self, segment: StoredSegment, position: int) -> None:
        """Remember where they are."""
        self.segment, self.position = segment, position

    def values(self) -> RunValues:
        """Return the values as columns."""
        return self.segment.values(self.position)

    def _read(self) -> Sequence[Row]:
        return _rows_of(self.segment)[self.position]


def read_segments(folder: Path) -> tuple[tuple[StoredSegment, ...], tuple[Problem, ...]]:
    """Return the segments of the results *folder*, and a problem for each that cannot be used."""
    segments, problems = list[StoredSegment](), list[Problem]()
    for path in islice(sorted((folder / PACKED).glob(f"*{SUFFIX}")), MAX_SEGMENTS):
        try:
            segments.append(StoredSegment(path))
        except DataError as error:
            problems.append(Problem(file=str(path), key="", reason=str(error).removeprefix(f"{path} ")))
    return tuple(segments), tuple(problems)
