"""The values of a results tree as columns of numbers: a million values are sorted and written in a second."""

from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from windtunnel.asv.results_format.lazy_rows import Key, cells_of, field_of
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, Parameters
from windtunnel.model.instructions import COUNTED_WITH
from windtunnel.model.result import Row
from windtunnel.model.run import ResultsTree

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]


class CaseKey(NamedTuple):
    """A case of one version of a benchmark."""

    benchmark: BenchmarkName
    version: BenchmarkVersion | None
    """None where asv's row has no version: it belongs to the present one."""
    params: Parameters


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueColumns:
    """Values in columns of equal length; skipped cases are left out."""

    case: Indices
    """The number of the case."""
    value: Floats
    """NaN where the case failed."""
    low: Floats
    """Lower limit of the interval; NaN where it is unknown."""
    high: Floats
    """Upper limit of the interval; NaN where it is unknown."""

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.case)

    def part(self, start: int, end: int) -> "ValueColumns":
        """Return a part of the columns, which shares their memory."""
        return ValueColumns(
            case=self.case[start:end], value=self.value[start:end], low=self.low[start:end], high=self.high[start:end]
        )


def concatenate(parts: Sequence[ValueColumns], *, intervals: bool = True) -> ValueColumns:
    """Return *parts* one after the other; without *intervals*, their limits are unknown."""
    parts = parts or [ValueColumns(case=np.empty(0, np.int32), value=np.empty(0), low=np.empty(0), high=np.empty(0))]
    value = np.concatenate([part.value for part in parts])
    unknown = np.broadcast_to(np.nan, len(value))
    return ValueColumns(
        case=np.concatenate([part.case for part in parts]),
        value=value,
        low=np.concatenate([part.low for part in parts]) if intervals else unknown,
        high=np.concatenate([part.high for part in parts]) if intervals else unknown,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunValues:
    """The values of a run."""

    columns: ValueColumns
    newest: Instant
    """When the newest row was started, in milliseconds since 1970; 0 where no row records it."""
    counted_with: tuple[tuple[BenchmarkName, str], ...] = ()
    """The Python and the counter of each benchmark whose values are counts of instructions."""
    digest: bytes = b""
    """Of the file that holds the run; empty where it was merged from several files."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResultsValues:
    """A results tree with its values."""

    tree: ResultsTree
    runs: tuple[RunValues, ...]
    """The values of each run of the tree, in its order."""
    cases: tuple[CaseKey, ...]
    """The cases by number. A cache may contribute cases that no run has."""

    @property
    def newest(self) -> Instant:
        """When the newest row of all was started, in milliseconds since 1970; 0 where no row records it."""
        return max((run.newest for run in self.runs), default=Instant(0))


class UnkeptRows(Sequence[Row]):
    """Rows that are read each time they are used, and not kept."""

    __slots__ = ()

    @abstractmethod
    def _read(self) -> Sequence[Row]:
        """Read the rows."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._read())

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        """Return one row, or several."""
        return self._read()[index]

    def __iter__(self) -> Iterator[Row]:
        """Yield each row."""
        return iter(self._read())


@dataclass(slots=True, kw_only=True, eq=False)
class CaseNumbers:
    """Numbers cases in the order in which they are first met."""

    keys: list[CaseKey] = field(default_factory=list)
    _numbers: dict[CaseKey, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Number the cases that are given."""
        self._numbers.update((key, number) for number, key in enumerate(self.keys))

    def number(self, key: CaseKey) -> int:
        """Return the number of *key*; a new key gets the next number."""
        number = self._numbers.setdefault(key, len(self.keys))
        if number == len(self.keys):
            self.keys.append(key)
        return number


class ColumnBuilder:
    """Builds columns from rows. Remembers parameter grids, which the runs of a history share."""

    def __init__(self, numbers: CaseNumbers) -> None:
        """Number cases in *numbers*."""
        self._numbers = numbers
        self._grids: dict[Key, tuple[int, ...]] = {}

    def build(self, rows: Sequence[Row]) -> RunValues:
        """Return the values of the *rows* of a run."""
        cases, values, lows, highs = array("i"), array("d"), array("d"), array("d")
        newest = 0
        for key, started_at, cells in cells_of(rows):
            newest = max(newest, started_at or 0)
            for number, (value, low, high) in zip(self._case_numbers(key), cells, strict=True):
                if value is None or value == value:  # noqa: PLR0124 - NaN means skipped
                    cases.append(number)
                    values.append(float("nan") if value is None else value)
                    lows.append(float("nan") if low is None else low)
                    highs.append(float("nan") if high is None else high)
        case = np.frombuffer(cases, np.int32) if cases else np.empty(0, np.int32)
        columns = ValueColumns(case=case, value=np.array(values), low=np.array(lows), high=np.array(highs))
        return RunValues(columns=columns, newest=Instant(newest), counted_with=tuple(field_of(rows, COUNTED_WITH)))

    def _case_numbers(self, key: Key) -> tuple[int, ...]:
        known = self._grids.get(key)
        if known is None:
            name, version, grid = key
            known = tuple(self._numbers.number(CaseKey(name, version, params)) for params in product(*grid))
            self._grids[key] = known
        return known


def values_of(tree: ResultsTree) -> ResultsValues:
    """Return *tree* with all its values."""
    numbers = CaseNumbers()
    builder = ColumnBuilder(numbers)
    runs = tuple(builder.build(run.rows) for run in tree.runs)
    return ResultsValues(tree=tree, runs=runs, cases=tuple(numbers.keys))
