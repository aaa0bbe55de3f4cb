"""From the rows of a run to columns of values."""

from array import array
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from windtunnel.asvjson import LazyRows
from windtunnel.measurement import BenchmarkName, BenchmarkVersion, Failed, Measured, ParameterGrid, Row, Run
from windtunnel.publish.points import CaseBook, CaseKey, Columns

Key = tuple[BenchmarkName, BenchmarkVersion | None, ParameterGrid]
Cell = tuple[float | None, float | None, float | None]
"""Value and interval of a case, as a file has them: null failed, NaN was skipped."""
SKIPPED: Cell = (float("nan"), None, None)


class PointReader:
    """Turns runs into columns; remembers the grids of parameters, which runs of one history share."""

    def __init__(self, book: CaseBook) -> None:
        """Number cases in *book*."""
        self._book = book
        self._grids: dict[Key, tuple[int, ...]] = {}

    def columns(self, run: Run) -> Columns:
        """Return the values of *run*: measured and failed ones."""
        return self.columns_of(run.rows)

    def columns_of(self, rows: Sequence[Row]) -> Columns:
        """Return the values of *rows*."""
        cases, values, lows, highs = array("i"), array("d"), array("d"), array("d")
        for key, cells in _rows(rows):
            for number, (value, low, high) in zip(self._numbers(key), cells, strict=True):
                if value is None or value == value:  # noqa: PLR0124 - NaN was skipped
                    cases.append(number)
                    values.append(float("nan") if value is None else value)
                    lows.append(float("nan") if low is None else low)
                    highs.append(float("nan") if high is None else high)
        return Columns(
            case=np.frombuffer(cases, np.int32) if cases else np.empty(0, np.int32),
            value=np.array(values),
            low=np.array(lows),
            high=np.array(highs),
        )

    def _numbers(self, key: Key) -> tuple[int, ...]:
        known = self._grids.get(key)
        if known is None:
            name, version, grid = key
            known = tuple(self._book.number(CaseKey(name, version, params)) for params in product(*grid))
            self._grids[key] = known
        return known


def _rows(rows: Sequence[Row]) -> Iterator[tuple[Key, Sequence[Cell]]]:
    if isinstance(rows, LazyRows):
        for name, version, grid, cells in rows.cells():
            yield (name, version, grid), cells
    else:
        for row in rows:
            yield (row.name, row.version, row.params), [_cell(result) for result in row.results]


def _cell(result: object) -> Cell:
    match result:
        case Measured(value=value, interval=None):
            return value, None, None
        case Measured(value=value, interval=interval) if interval:
            return value, interval.low, interval.high
        case Failed():
            return None, None, None
        case _:
            return SKIPPED
