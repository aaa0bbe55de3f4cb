"""What speaks for a change of level at one place of a series, with the noise that is found around it.

Three questions, each with its own answer to noise: does the bounded cost (change_points) fall by a penalty's worth?
Could normal noise move a mean so far (Welch 1947, on the points that are no outliers)? Could the outliers that the
series is known for, several in a row, look like the new level (a binomial run test that assumes no shape of tails)?
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, stdtr

from windtunnel.stats.change_points import BOUND, PENALTY, dearest
from windtunnel.stats.noise_scale import Vector, residual_scale

LEAST_POINTS = 3
"""A new level is not believed before it has been seen this often."""
REACH = 100
"""How many points on each side are weighed: the noise of years ago says little of today's."""
CHANCE = 0.05
"""The most that normal noise may explain, over all places of the series."""
RUN_CHANCE = 0.2
"""The most that outliers in a row may explain, over all places of the series."""
FREEDOM = 0.4
"""Degrees of freedom that a scale by medians has for each point: its efficiency (Rousseeuw and Croux 1993)."""
INDISTINCT = 3.84
"""Places whose cost is this close to the best are as likely: the 95 % point of chi-square(1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A change of level; levels and error in the units of the values."""

    position: int
    """The first point of the new level."""
    earliest: int
    latest: int
    """The places that the data can hardly tell from it."""
    before: float
    after: float
    error: float
    """Standard error of after - before."""
    freedom: float
    """Degrees of freedom of that error."""
    chance: float
    """How likely noise alone shows such a change somewhere in the series, at most."""
    margin: float
    """By what share the evidence exceeds what is asked; negative when it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The points around a place in doubt, in units of the noise: *split* of them come before it.

    *offset* is where the first of them stands in the series of *length* points; *inflation* is its persistence.
    """

    values: Vector
    weights: Vector
    split: int
    offset: int
    length: int
    inflation: float


def weigh(around: Neighbourhood) -> Shift:
    """Weigh the evidence for a change of level at the split."""
    values, weights, split = around.values, around.weights, around.split
    scale = _local_scale(values, weights, split)
    z = values / scale
    before, after = fitted_level(z[:split], weights[:split]), fitted_level(z[split:], weights[split:])
    on_old, on_new = bounded(z - before, weights), bounded(z - after, weights)
    gain = bounded_cost(z, weights) - float(on_old[:split].sum() + on_new[split:].sum())
    error = (around.inflation * (1 / _inliers(z[:split] - before) + 1 / _inliers(z[split:] - after))) ** 0.5
    freedom = max(1.0, FREEDOM * (len(z) - 2) / around.inflation)
    normal = min(1.0, around.length * 2 * float(stdtr(freedom, -abs(after - before) / error)))
    lucky = _run_chance(z, split, (before, after), around)
    best, earliest, latest = _places(on_old - on_new, split)
    margin = min(gain / (PENALTY * around.inflation) - 1, 1 - normal / CHANCE, 1 - lucky / RUN_CHANCE)
    return Shift(
        position=around.offset + best,
        earliest=around.offset + earliest,
        latest=around.offset + latest,
        before=before * scale,
        after=after * scale,
        error=error * scale,
        freedom=freedom,
        chance=max(normal, lucky),
        margin=margin if min(split, len(z) - split) >= LEAST_POINTS else -1.0,
    )


def bounded(deviations: Vector, weights: Vector) -> Vector:
    """Return the squares, weighted and bounded as change_points does it."""
    return np.minimum(weights * deviations**2, dearest(weights))


def bounded_cost(values: Vector, weights: Vector) -> float:
    """Return the cost of explaining *values* by one level."""
    return float(bounded(values - fitted_level(values, weights), weights).sum())


def fitted_level(values: Vector, weights: Vector) -> float:
    """Return the mean of those *values* that are no outliers: a stationary point of the bounded cost."""
    level = float(np.median(values))
    for _ in range(8):
        near = weights * (weights * (values - level) ** 2 <= dearest(weights))
        total = float(near.sum())
        better = float(near @ values) / total if total > 0 else level
        if abs(better - level) < 1e-9:
            break
        level = better
    return level


def _local_scale(values: Vector, weights: Vector, split: int) -> float:
    """Return by how much the noise here exceeds the series' own, at least 1."""
    old, new = values[:split], values[split:]
    residuals = np.concatenate([old - fitted_level(old, weights[:split]), new - fitted_level(new, weights[split:])])
    return max(1.0, residual_scale(residuals, 1.0))


def _inliers(deviations: Vector) -> int:
    return max(1, int(np.count_nonzero(np.abs(deviations) <= BOUND)))


def _run_chance(z: Vector, split: int, levels: tuple[float, float], around: Neighbourhood) -> float:
    """Return the chance that the shorter side is nothing but outliers of the longer one, in a row.

    The share of the longer side that lies as far out as the lower quarter of the shorter one, and the binomial chance
    that three quarters of a run do; persistent noise has fewer independent points.
    """
    run, reference, level = z[split:], z[:split], levels[0]
    if len(run) > len(reference):
        run, reference, level = reference, run, levels[1]
    side = np.sign(np.median(run) - level)
    outward = np.sort(side * (run - level))
    spared = len(run) // 4
    beyond = int(np.count_nonzero(side * (reference - level) >= outward[spared]))
    share = (beyond + 1) / (len(reference) + 2)
    trials = max(1, round(len(run) / around.inflation))
    needed = trials - spared * trials // len(run)
    return min(1.0, around.length * float(bdtrc(needed - 1, trials, share)))


def _places(worse_on_old: Vector, split: int) -> tuple[int, int, int]:
    """Return the best split, the first and the last as likely, by how much worse each point fits the old level.

    The best is looked for beside *split* only, so that neighbouring changes never meet.
    """
    costs = np.concatenate([[np.inf], np.cumsum(worse_on_old)[:-1]])  # by split; one point on either side is left
    beside = range(max(1, split - 1), min(len(costs) - 1, split + 1) + 1)
    best = min(beside, key=lambda place: (float(costs[place]), abs(place - split)))
    near = np.flatnonzero(costs <= costs[best] + INDISTINCT)
    return best, min(best, int(near[0])), max(best, int(near[-1]))
