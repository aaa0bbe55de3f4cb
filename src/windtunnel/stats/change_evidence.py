"""Weigh the evidence for a change of level at one position of a series, with the noise around it.

Three tests have to agree:

1. The bounded cost (`windtunnel.stats.change_points`) falls by more than the penalty of a change.
2. Normal noise does not explain the difference of means: Welch, B. L. (1947), doi:10.1093/biomet/34.1-2.28, on the
   points that are not outliers.
3. Outliers in a row do not explain the new level: a binomial run test, which assumes no shape of the tails.

The position is that of the best fit with the tails of Student's t: a point far from both levels belongs to the nearer
one. Lange, K. L., Little, R. J. A. and Taylor, J. M. G. (1989), Robust Statistical Modeling Using the t Distribution,
doi:10.1080/01621459.1989.10478852.
"""

from dataclasses import dataclass

import numpy as np

from windtunnel.stats.change_points import CHANGE_PENALTY, OUTLIER_BOUND, max_costs
from windtunnel.stats.noise_scale import Vector, residual_scale
from windtunnel.stats.special import binomial_tail, upper_tail

MIN_POINTS = 3
"""Points that a new level has to have."""

MAX_NEIGHBOURS = 100
"""Points on each side that count: old noise does not describe the present noise."""

MAX_NOISE_PROBABILITY = 0.05
"""The largest probability that normal noise explains the change, over all positions of the series."""

MAX_RUN_PROBABILITY = 0.2
"""The largest probability that outliers in a row explain the change, over all positions of the series."""

FREEDOM_PER_POINT = 0.4
"""Degrees of freedom per point of a scale by medians: its efficiency.

Rousseeuw, P. J. and Croux, C. (1993), doi:10.1080/01621459.1993.10476408.
"""

COST_TOLERANCE = 3.84
"""Positions whose cost is this close to the best are equally likely: the 95 % quantile of chi-square(1)."""

TAIL_EXPONENT = 4.0
"""The density of a far outlier falls with this power of its distance, as that of Student's t with three degrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipShares:
    """How a series that flips between two levels changes how often it is on the upper one."""

    low: float
    """The lower level."""
    high: float
    """The upper level."""
    before: float
    """The share of points on the upper level before."""
    after: float
    """The share of points on the upper level after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A change of level; levels and error have the unit of the values."""

    position: int
    """The first point of the new level."""
    best: int
    """The position between the neighbouring changes that fits best."""
    earliest: int
    """The first of the positions that are equally likely."""
    latest: int
    """The last of the positions that are equally likely."""
    before: float
    after: float
    error: float
    """Standard error of after - before."""
    freedom: float
    """Degrees of freedom of that error."""
    chance: float
    """The probability, at most, that noise alone shows such a change somewhere in the series."""
    margin: float
    """The share by which the evidence exceeds the requirements; negative if it does not."""
    shares: FlipShares | None = None
    """Set where two levels stay and only their shares change; *before* and *after* are means then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The points around a possible change."""

    values: Vector
    """In units of the noise."""
    weights: Vector
    split: int
    """The number of points before the possible change."""
    offset: int
    """The index of the first point in the series."""
    deviations: Vector
    """The distance of each point of the whole series from its level."""
    inflation: float
    """The factor by which persistent noise increases the variance of a mean."""


def weigh_evidence(around: Neighbourhood) -> Shift:
    """Weigh the evidence for a change of level at the split."""
    values, weights, split, length = around.values, around.weights, around.split, len(around.deviations)
    scale = _local_scale(values, weights, split)
    z = values / scale
    before, after = fitted_level(z[:split], weights[:split]), fitted_level(z[split:], weights[split:])
    on_old, on_new = bounded(z - before, weights), bounded(z - after, weights)
    gain = bounded_cost(z, weights) - float(on_old[:split].sum() + on_new[split:].sum())
    error = (around.inflation * (1 / _inliers(z[:split] - before) + 1 / _inliers(z[split:] - after))) ** 0.5
    freedom = max(1.0, FREEDOM_PER_POINT * (len(z) - 2) / around.inflation)
    normal = min(1.0, length * 2 * float(upper_tail(abs(after - before) / error, freedom)))
    in_a_row = _run_probability(z, split, (before, after), around, scale)
    best, earliest, latest = _best_split(_with_tails(z - before, weights) - _with_tails(z - after, weights), split)
    margin = min(
        gain / (CHANGE_PENALTY * around.inflation) - 1,
        1 - normal / MAX_NOISE_PROBABILITY,
        1 - in_a_row / MAX_RUN_PROBABILITY,
    )
    return Shift(
        position=around.offset + split,
        best=around.offset + best,
        earliest=around.offset + earliest,
        latest=around.offset + latest,
        before=before * scale,
        after=after * scale,
        error=error * scale,
        freedom=freedom,
        chance=max(normal, in_a_row),
        margin=margin if min(split, len(z) - split) >= MIN_POINTS else -1.0,
    )


def bounded(deviations: Vector, weights: Vector) -> Vector:
    """Return the squared deviations, weighted and bounded as in `windtunnel.stats.change_points`."""
    return np.minimum(weights * deviations**2, max_costs(weights))


def bounded_cost(values: Vector, weights: Vector) -> float:
    """Return the cost of explaining *values* by one level."""
    return float(bounded(values - fitted_level(values, weights), weights).sum())


def fitted_level(values: Vector, weights: Vector) -> float:
    """Return the mean of the *values* that are not outliers: a stationary point of the bounded cost."""
    level = float(np.median(values))
    for _ in range(8):
        near = weights * (weights * (values - level) ** 2 <= max_costs(weights))
        total = float(near.sum())
        better = float(near @ values) / total if total > 0 else level
        if abs(better - level) < 1e-9:
            break
        level = better
    return level


def _with_tails(deviations: Vector, weights: Vector) -> Vector:
    """Return the bounded costs plus what the tails of outliers add: twice the logarithm of their density's fall."""
    squares = weights * deviations**2
    bounds = max_costs(weights)
    return np.minimum(squares, bounds) + TAIL_EXPONENT * np.log(np.maximum(squares / bounds, 1.0))


def _local_scale(values: Vector, weights: Vector, split: int) -> float:
    """Return the local noise in units of the noise of the series, at least 1."""
    old, new = values[:split], values[split:]
    residuals = np.concatenate([old - fitted_level(old, weights[:split]), new - fitted_level(new, weights[split:])])
    return max(1.0, residual_scale(residuals, 1.0))


def _inliers(deviations: Vector) -> int:
    return max(1, int(np.count_nonzero(np.abs(deviations) <= OUTLIER_BOUND)))


def _run_probability(z: Vector, split: int, levels: tuple[float, float], around: Neighbourhood, scale: float) -> float:
    """Return the probability that the shorter side consists of outliers of the longer one.

    It is the binomial probability that three quarters of a run lie as far out as the lower quarter of the shorter side,
    with the share of such points on the longer side, or in the whole series where no point of it was ever so far out.
    Persistent noise has fewer independent points.
    """
    run, reference, level = z[split:], z[:split], levels[0]
    if len(run) > len(reference):
        run, reference, level = reference, run, levels[1]
    side = np.sign(np.median(run) - level)
    outward = np.sort(side * (run - level))
    spared = len(run) // 4
    if (side * around.deviations >= outward[spared] * scale).any():
        beyond = int(np.count_nonzero(side * (reference - level) >= outward[spared]))
        share = (beyond + 1) / (len(reference) + 2)
    else:
        share = 1 / (len(around.deviations) + 2)
    trials = max(1, round(len(run) / around.inflation))
    needed = trials - spared * trials // len(run)
    return min(1.0, len(around.deviations) * binomial_tail(needed, trials, share))


def _best_split(worse_on_old: Vector, split: int) -> tuple[int, int, int]:
    """Return the best split, and the first and last positions that are as likely as *split*.

    *worse_on_old* is how much worse each point fits the old level. Each side keeps MIN_POINTS points.
    """
    costs = np.concatenate([[np.inf], np.cumsum(worse_on_old)[:-1]])  # by split; at least one point stays on each side
    inside = range(min(split, MIN_POINTS), max(split, len(costs) - MIN_POINTS) + 1)
    best = min(inside, key=lambda place: (float(costs[place]), abs(place - split)))
    near = np.flatnonzero(costs <= costs[split] + COST_TOLERANCE)
    return best, min(split, int(near[0])), max(split, int(near[-1]))
