"""Change points of many series at once: the piecewise constant level that explains each at the least cost.

The cost is Fearnhead and Rigaill's for data with outliers ("Changepoint Detection in the Presence of Outliers", JASA
114, 2019, doi:10.1080/01621459.2017.1385466): a squared deviation, bounded so that no single point can buy a change,
plus a penalty for each change. They minimise it over every real level; here the levels lie on a grid, which makes the
recursion a Viterbi path (Viterbi 1967): a point costs one pass over the grid, for all series together, and nothing
behind it is touched again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.noise_scale import Vector

Matrix = NDArray[np.float64]

PENALTY = 17.0
"""Of one change, in noise variances; chosen by simulation (statistics.md), 1.6 times BIC's for 200 points."""
BOUND = 3.2
"""Deviations beyond this many noise standard deviations are outliers; three of them in a row outweigh PENALTY."""
SPACING = 0.25
"""Of the grid of levels, in noise standard deviations: half of it off costs a point 1/64 of a variance at most."""
BATCH = 128
"""Series handled together: large enough to spread the interpreter's cost, small enough for the cache."""


@dataclass(slots=True, kw_only=True)
class LevelPaths:
    """The recursion's state for some series; arrays are series x levels, and change in place."""

    levels: Matrix
    cost: Matrix
    """The least cost so far that ends at each level."""
    start: NDArray[np.int64]
    """Where the segment of that path began."""
    best_start: list[NDArray[np.int64]]
    """By point: where the last segment of the best path ending there began."""

    @classmethod
    def start_at(cls, grids: Sequence[Vector]) -> Self:
        """Return the state before the first point; each series has a grid of levels of its own."""
        shape = (len(grids), max(map(len, grids)))
        levels, cost = np.zeros(shape), np.full(shape, np.inf)
        for row, grid in enumerate(grids):
            levels[row, : len(grid)] = grid
            cost[row, : len(grid)] = 0
        return cls(levels=levels, cost=cost, start=np.zeros(shape, np.int64), best_start=[])

    def advance(self, values: Vector, weights: Vector, penalty: Vector) -> None:
        """Take one point of each series; weight 0 is a gap."""
        if self.best_start:
            change = self.cost.min(axis=1) + penalty
            fresh = self.cost > change[:, None]
            np.copyto(self.start, len(self.best_start), where=fresh)
            np.copyto(self.cost, np.broadcast_to(change[:, None], self.cost.shape), where=fresh)
        deviation = values[:, None] - self.levels
        deviation *= deviation
        deviation *= weights[:, None]
        np.minimum(deviation, dearest(weights)[:, None], out=deviation)
        self.cost += deviation
        best = self.cost.argmin(axis=1)
        self.best_start.append(self.start[np.arange(len(best)), best])

    def change_points(self, series: int) -> tuple[int, ...]:
        """Return the first points of the segments of one series, without its very first."""
        found, end = [], len(self.best_start)
        while end > 0 and (start := int(self.best_start[end - 1][series])) > 0:
            found.append(start)
            end = start
        return tuple(reversed(found))


def dearest(weights: Vector) -> Vector:
    """Return what points of such *weights* cost at most.

    A weight below 1 says that a point scatters more: far beyond that it is as far off as any other. One above 1 says
    that there are several.
    """
    bounds: Vector = BOUND**2 * np.maximum(weights, 1)
    return bounds


def level_grid(values: Vector) -> Vector:
    """Return the levels worth trying for standardised *values*: where the median of three neighbours has been."""
    if len(values) < 3:
        return np.unique(np.round(values / SPACING)) * SPACING
    medians = np.median(np.lib.stride_tricks.sliding_window_view(values, 3), axis=1)
    return np.unique(np.round(medians / SPACING)) * SPACING


def change_points(
    series: Sequence[Vector], weights: Sequence[Vector], inflation: Sequence[float]
) -> tuple[tuple[int, ...], ...]:
    """Return for each series where new levels begin.

    Values are finite and in units of their noise's standard deviation; a weight of 1 is a full point; *inflation*
    multiplies the penalty of a series whose noise persists.
    """
    found: list[tuple[int, ...]] = [()] * len(series)
    grids = [level_grid(values) for values in series]
    order = sorted((i for i in range(len(series)) if len(series[i])), key=lambda i: (len(grids[i]), len(series[i])))
    for first in range(0, len(order), BATCH):
        batch = order[first : first + BATCH]
        paths = LevelPaths.start_at([grids[i] for i in batch])
        values, heavy = _padded([series[i] for i in batch]), _padded([weights[i] for i in batch])
        penalty = PENALTY * np.array([inflation[i] for i in batch])
        for point in range(values.shape[0]):
            paths.advance(values[point], heavy[point], penalty)
        for row, i in enumerate(batch):
            found[i] = paths.change_points(row)
    return tuple(found)


def _padded(rows: Sequence[Vector]) -> Matrix:
    """Return points x series; what a shorter series lacks at its end is 0, hence a gap by weight."""
    table = np.zeros((max(map(len, rows)), len(rows)))
    for column, row in enumerate(rows):
        table[: len(row), column] = row
    return table
