"""Find the change points of many series at once: the piecewise constant level with the lowest cost.

The cost is a squared deviation, bounded so that no single point causes a change, plus a penalty per change: Fearnhead,
P. and Rigaill, G. (2019), Changepoint Detection in the Presence of Outliers, doi:10.1080/01621459.2017.1385466. They
minimise it over all real levels. Here the levels lie on a grid, so the recursion is a Viterbi path: Viterbi, A. J.
(1967), doi:10.1109/TIT.1967.1054010. A point costs one pass over the grid for all series together, and earlier points
are not visited again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.special import Vector

Matrix = NDArray[np.float64]

CHANGE_PENALTY = 17.0
"""The cost of one change, in noise variances; chosen by simulation (statistics.md), 1.6 times BIC's for 200 points."""
OUTLIER_BOUND = 3.2
"""Deviations beyond this many noise standard deviations are outliers; three in a row exceed CHANGE_PENALTY."""
LEVEL_SPACING = 0.25
"""The step of the grid of levels, in noise standard deviations; the nearest level costs at most 1/64 of a variance."""
BATCH_SIZE = 256
"""Series per batch: enough to spread the interpreter's cost, few enough for the processor's cache."""
BLOCK_SIZE = 8
"""Points whose costs are computed at once, for the same two reasons."""
MAX_CELLS = 2**28
"""Points x levels x series of a batch; each takes two bits until the paths are known."""

NO_LEVEL = 1e100
"""Fills up shorter grids; each point is as far from it as an outlier, so no best path ends there."""


@dataclass(slots=True, kw_only=True)
class LevelPaths:
    """The state of the recursion for some series; *levels* and *cost* have the shape (levels, series)."""

    levels: Matrix
    cost: Matrix
    """The lowest cost of a path that ends at each level; changes in place."""
    _is_new: list[NDArray[np.uint8]] = field(default_factory=list)
    """For each block, the bits of (points, levels, series): whether the path to this level changes there at a point."""
    _is_best: list[NDArray[np.uint8]] = field(default_factory=list)
    """The same: whether no path that ends at this point has a lower cost."""

    @classmethod
    def start_at(cls, grids: Sequence[Vector]) -> Self:
        """Return the state before the first point; each series has its own grid of levels."""
        shape = (max(map(len, grids)), len(grids))
        levels, cost = np.full(shape, NO_LEVEL), np.full(shape, np.inf)
        for column, grid in enumerate(grids):
            levels[: len(grid), column] = grid
            cost[: len(grid), column] = 0
        return cls(levels=levels, cost=cost)

    def advance(self, values: Matrix, weights: Matrix, penalty: Vector) -> None:
        """Add a block of points, shape (points, series), to each series; weight 0 is a gap."""
        costs = values[:, None] - self.levels
        costs *= costs
        if (weights == 1).all():
            np.minimum(costs, OUTLIER_BOUND**2, out=costs)
        else:
            costs *= weights[:, None]
            np.minimum(costs, max_costs(weights)[:, None], out=costs)
        is_new, is_best = np.empty((2, *costs.shape), np.bool_)
        change = np.full_like(penalty, np.inf) if not self._is_new else self.cost.min(axis=0) + penalty
        for point, own in enumerate(costs):
            np.greater(self.cost, change, out=is_new[point])
            np.minimum(self.cost, change, out=self.cost)
            self.cost += own
            best = np.minimum.reduce(self.cost)
            np.equal(self.cost, best, out=is_best[point])
            change = best + penalty
        self._is_new.append(np.packbits(is_new, axis=-1))
        self._is_best.append(np.packbits(is_best, axis=-1))

    def change_points(self) -> tuple[tuple[int, ...], ...]:
        """Return the first points of the segments of each series, without its very first."""
        is_new, is_best = np.concatenate(self._is_new), np.concatenate(self._is_best)
        return tuple(
            _path(is_new[..., series // 8], is_best[..., series // 8], np.uint8(128 >> series % 8))
            for series in range(self.cost.shape[1])
        )


def _path(is_new: NDArray[np.uint8], is_best: NDArray[np.uint8], bit: np.uint8) -> tuple[int, ...]:
    """Return where the best path of the series with this *bit* changes its level."""
    found, end = list[int](), len(is_new)
    while end > 0:
        level = (is_best[end - 1] & bit).argmax()
        changes = np.flatnonzero(is_new[:end, level] & bit)
        end = int(changes[-1]) if len(changes) else 0
        found += [end] if end else []
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
        medians = values
    else:
        one, other, third = values[:-2], values[1:-1], values[2:]
        medians = np.maximum(np.minimum(one, other), np.minimum(np.maximum(one, other), third))
    steps = np.rint(medians / LEVEL_SPACING)
    steps.sort()
    return np.append(steps[:1], steps[1:][steps[1:] > steps[:-1]]) * LEVEL_SPACING


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
    while order:
        batch = order[:BATCH_SIZE]
        points, levels = max(len(series[i]) for i in batch), len(grids[batch[-1]])
        batch = batch[: max(1, MAX_CELLS // (points * levels))]
        paths = LevelPaths.start_at([grids[i] for i in batch])
        values, heavy = _padded([series[i] for i in batch]), _padded([weights[i] for i in batch])
        penalty = CHANGE_PENALTY * np.array([inflation[i] for i in batch])
        for first in range(0, points, BLOCK_SIZE):
            block = slice(first, first + BLOCK_SIZE)
            paths.advance(values[block], heavy[block], penalty)
        for i, starts in zip(batch, paths.change_points(), strict=True):
            found[i] = starts
        order = order[len(batch) :]
    return tuple(found)


def _padded(rows: Sequence[Vector]) -> Matrix:
    """Return an array of shape (points, series); shorter series end with zeros, which are gaps by weight."""
    table = np.zeros((len(rows), max(map(len, rows))))
    for own, row in zip(table, rows, strict=True):
        own[: len(row)] = row
    return np.ascontiguousarray(table.T)
