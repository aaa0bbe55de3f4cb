"""Every value of a history as columns, so that a million values are sorted and written in a second."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windtunnel.asv.results_format.lazy_rows import Key, cells_of
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, Parameters
from windtunnel.model.result import Row
from windtunnel.model.run import ResultsTree

Numbers = NDArray[np.float64]
Places = NDArray[np.int32]


class CaseKey(NamedTuple):
    """A case of some version of a benchmark; a row of asv may not say the version."""

    benchmark: BenchmarkName
    version: BenchmarkVersion | None
    params: Parameters


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """Values of equal length: which case, and the value with its interval.

    A value that is NaN failed; an interval that is NaN is not known. What was skipped is not here.
    """

    case: Places
    value: Numbers
    low: Numbers
    high: Numbers

    def __len__(self) -> int:
        """Return how many values there are."""
        return len(self.case)

    def part(self, start: int, end: int) -> "Columns":
        """Return a part of the columns, sharing their memory."""
        return Columns(
            case=self.case[start:end], value=self.value[start:end], low=self.low[start:end], high=self.high[start:end]
        )


NOTHING = Columns(case=np.empty(0, np.int32), value=np.empty(0), low=np.empty(0), high=np.empty(0))


def joined(parts: Sequence[Columns]) -> Columns:
    """Return *parts* one after the other."""
    if not parts:
        return NOTHING
    return Columns(
        case=np.concatenate([part.case for part in parts]),
        value=np.concatenate([part.value for part in parts]),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResultsPoints:
    """A results tree with its values: *columns* are those of its runs, in their order, and number *cases*.

    *begun* is when the newest row of each run was begun, in milliseconds since 1970; 0 where none says so.
    """

    tree: ResultsTree
    columns: tuple[Columns, ...]
    cases: tuple[CaseKey, ...]
    begun: tuple[Instant, ...]

    @property
    def newest(self) -> Instant:
        """When the newest row of all was begun."""
        return max(self.begun, default=Instant(0))


@dataclass(slots=True, kw_only=True, eq=False)
class CaseBook:
    """Numbers for cases, given in the order in which they are met."""

    keys: list[CaseKey] = field(default_factory=list)
    _numbers: dict[CaseKey, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Number the cases that are known from the start."""
        self._numbers.update((key, number) for number, key in enumerate(self.keys))

    def number(self, key: CaseKey) -> int:
        """Return the number of *key*, a new one where it has none."""
        number = self._numbers.setdefault(key, len(self.keys))
        if number == len(self.keys):
            self.keys.append(key)
        return number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunPoints:
    """The values of a run, and when its newest row was begun: milliseconds since 1970, 0 where none says so."""

    columns: Columns
    newest: Instant


class PointReader:
    """Turns rows into columns; remembers the grids of parameters, which runs of one history share."""

    def __init__(self, book: CaseBook) -> None:
        """Number cases in *book*."""
        self._book = book
        self._grids: dict[Key, tuple[int, ...]] = {}

    def points(self, rows: Sequence[Row]) -> RunPoints:
        """Return the values of the *rows* of a run: measured and failed ones."""
        cases, values, lows, highs = array("i"), array("d"), array("d"), array("d")
        newest = 0
        for key, started_at, cells in cells_of(rows):
            newest = max(newest, started_at or 0)
            for number, (value, low, high) in zip(self._numbers(key), cells, strict=True):
                if value is None or value == value:  # noqa: PLR0124 - NaN was skipped
                    cases.append(number)
                    values.append(float("nan") if value is None else value)
                    lows.append(float("nan") if low is None else low)
                    highs.append(float("nan") if high is None else high)
        case = np.frombuffer(cases, np.int32) if cases else np.empty(0, np.int32)
        columns = Columns(case=case, value=np.array(values), low=np.array(lows), high=np.array(highs))
        return RunPoints(columns=columns, newest=Instant(newest))

    def _numbers(self, key: Key) -> tuple[int, ...]:
        known = self._grids.get(key)
        if known is None:
            name, version, grid = key
            known = tuple(self._book.number(CaseKey(name, version, params)) for params in product(*grid))
            self._grids[key] = known
        return known


def points_of(tree: ResultsTree) -> ResultsPoints:
    """Return all values of *tree*."""
    book = CaseBook()
    reader = PointReader(book)
    runs = [reader.points(run.rows) for run in tree.runs]
    return ResultsPoints(
        tree=tree,
        columns=tuple(run.columns for run in runs),
        cases=tuple(book.keys),
        begun=tuple(run.newest for run in runs),
    )
