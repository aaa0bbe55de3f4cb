"""Find the change points of many series at once: the piecewise constant level with the lowest cost.

The cost is a squared deviation, bounded so that no single point causes a change, plus a penalty per change: Fearnhead,
P. and Rigaill, G. (2019), Changepoint Detection in the Presence of Outliers, doi:10.1080/01621459.2017.1385466. They
minimise it over all real levels. Here the levels lie on a grid, so the recursion is a Viterbi path: Viterbi, A. J.
(1967), doi:10.1109/TIT.1967.1054010. A point costs one pass over the grid for all series together, and earlier points
are not visited again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.noise_scale import Vector

Matrix = NDArray[np.float64]

CHANGE_PENALTY = 17.0
"""The cost of one change, in noise variances; chosen by simulation (statistics.md), 1.6 times BIC's for 200 points."""
OUTLIER_BOUND = 3.2
"""Deviations beyond this many noise standard deviations are outliers; three in a row exceed CHANGE_PENALTY."""
LEVEL_SPACING = 0.25
"""The step of the grid of levels, in noise standard deviations; the nearest level costs at most 1/64 of a variance."""
BATCH_SIZE = 128
"""Series per batch: enough to spread the interpreter's cost, few enough for the processor's cache."""


@dataclass(slots=True, kw_only=True)
class LevelPaths:
    """The state of the recursion for some series; arrays have the shape (series, levels) and change in place."""

    levels: Matrix
    cost: Matrix
    """The lowest cost of a path that ends at each level."""
    start: NDArray[np.int64]
    """The first point of the last segment of that path."""
    best_start: list[NDArray[np.int64]]
    """For each point, the first point of the last segment of the best path that ends there."""

    @classmethod
    def start_at(cls, grids: Sequence[Vector]) -> Self:
        """Return the state before the first point; each series has its own grid of levels."""
        shape = (len(grids), max(map(len, grids)))
        levels, cost = np.zeros(shape), np.full(shape, np.inf)
        for row, grid in enumerate(grids):
            levels[row, : len(grid)] = grid
            cost[row, : len(grid)] = 0
        return cls(levels=levels, cost=cost, start=np.zeros(shape, np.int64), best_start=[])

    def advance(self, values: Vector, weights: Vector, penalty: Vector) -> None:
        """Add one point of each series; weight 0 is a gap."""
        if self.best_start:
            change = self.cost.min(axis=1) + penalty
            fresh = self.cost > change[:, None]
            np.copyto(self.start, len(self.best_start), where=fresh)
            np.copyto(self.cost, np.broadcast_to(change[:, None], self.cost.shape), where=fresh)
        deviation = values[:, None] - self.levels
        deviation *= deviation
        deviation *= weights[:, None]
        np.minimum(deviation, max_costs(weights)[:, None], out=deviation)
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


def max_costs(weights: Vector) -> Vector:
    """Return the largest cost of points with such *weights*.

    A weight below 1 marks a noisier point, whose largest cost is that of any other. A weight above 1 stands for
    several points.
    """
    bounds: Vector = OUTLIER_BOUND**2 * np.maximum(weights, 1)
    return bounds


def level_grid(values: Vector) -> Vector:
    """Return the candidate levels of standardised *values*: the medians of three neighbours, on the grid."""
    if len(values) < 3:
        return np.unique(np.round(values / LEVEL_SPACING)) * LEVEL_SPACING
    one, other, third = values[:-2], values[1:-1], values[2:]
    medians = np.maximum(np.minimum(one, other), np.minimum(np.maximum(one, other), third))
    return np.unique(np.round(medians / LEVEL_SPACING)) * LEVEL_SPACING


def find_change_points(
    series: Sequence[Vector], weights: Sequence[Vector], inflation: Sequence[float]
) -> tuple[tuple[int, ...], ...]:
    """Return the first point of each new level, for each series.

    Values are finite and in units of the noise's standard deviation. A weight of 1 is a full point. *inflation*
    multiplies the penalty of a series with persistent noise.
    """
    found: list[tuple[int, ...]] = [()] * len(series)
    grids = [level_grid(values) for values in series]
    order = sorted((i for i in range(len(series)) if len(series[i])), key=lambda i: (len(grids[i]), len(series[i])))
    for first in range(0, len(order), BATCH_SIZE):
        batch = order[first : first + BATCH_SIZE]
        paths = LevelPaths.start_at([grids[i] for i in batch])
        values, heavy = _padded([series[i] for i in batch]), _padded([weights[i] for i in batch])
        penalty = CHANGE_PENALTY * np.array([inflation[i] for i in batch])
        for point in range(values.shape[0]):
            paths.advance(values[point], heavy[point], penalty)
        for row, i in enumerate(batch):
            found[i] = paths.change_points(row)
    return tuple(found)


def _padded(rows: Sequence[Vector]) -> Matrix:
    """Return an array of shape (points, series); shorter series end with zeros, which are gaps by weight."""
    table = np.zeros((max(map(len, rows)), len(rows)))
    for column, row in enumerate(rows):
        table[: len(row), column] = row
    return table
