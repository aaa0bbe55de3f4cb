"""The values and intervals of cases, read from rows without building results."""

from collections.abc import Iterator, Sequence

from windtunnel.asv.results_format.lazy_rows import LazyRows
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, ParameterGrid
from windtunnel.model.result import Failed, Measured, Row

Key = tuple[BenchmarkName, BenchmarkVersion | None, ParameterGrid]


Cell = tuple[float | None, float | None, float | None]
"""Value and interval of a case, as a file has them: null failed, NaN was skipped."""


SKIPPED: Cell = (float("nan"), None, None)


def cells_of(rows: Sequence[Row]) -> Iterator[tuple[Key, Instant | None, Sequence[Cell]]]:
    """Yield each row: benchmark, version and grid of parameters; when it was begun; value and interval of each case."""
    if isinstance(rows, LazyRows):
        for name, version, started_at, grid, cells in rows.cells():
            yield (name, version, grid), started_at, cells
    else:
        for row in rows:
            yield (row.name, row.version, row.params), row.started_at, [_cell(result) for result in row.results]


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
