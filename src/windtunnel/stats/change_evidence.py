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

from windtunnel.model.run import LevelShares
from windtunnel.stats.change_points import CHANGE_PENALTY, OUTLIER_BOUND, Matrix
from windtunnel.stats.special import Vector, binomial_tail, median, residual_scale, student_tail

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
class Shift:
    """A change of level; levels and error have the unit of the values."""

    position: int
    """The first point of the new level."""
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
    margin: float = 0.0
    """The share by which the evidence exceeds the requirements; negative if it does not."""
    shares: LevelShares | None = None
    """Set where two levels stay and only their shares change; *before* and *after* are means then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """The points around a possible change, the levels before and after it, and the positions that fit best."""

    split: int
    """The number of points before the possible change."""
    offset: int
    """The index of the first point in the series."""
    weights: Vector
    bounds: Vector
    """The largest cost of each point."""
    z: Vector
    """The values in units of the local noise."""
    on_old: Vector
    """The weighted squares of the distances of all points from the level before."""
    on_new: Vector
    """The same for the level after."""
    before: float
    """In units of the local noise, like the next one."""
    after: float
    scale: float
    """The local noise in units of that of the series."""
    best: int
    """The position in the series between the neighbouring changes that fits best."""
    earliest: int
    """The first of the positions that are equally likely."""
    latest: int
    """The last of the positions that are equally likely."""


def fit_split(values: Vector, weights: Vector, bounds: Vector, split: int, offset: int) -> Split:
    """Return the levels before and after *split*, and where the change between them fits best.

    *values* are in units of the noise, from the point *offset* of the series on; *bounds* are their largest costs.
    """
    before, after = _fitted_levels(values, weights, bounds, split)
    scale = _local_scale(values, (before, after), split)
    z = values
    if scale != 1:
        z = values / scale
        before, after = _fitted_levels(z, weights, bounds, split)
    squares = _squares(z - np.array([[before], [after]]), weights)
    on_old, on_new = _with_tails(squares, bounds)
    best, earliest, latest = _best_split(on_old - on_new, split)
    return Split(
        split=split,
        offset=offset,
        weights=weights,
        bounds=bounds,
        z=z,
        on_old=squares[0],
        on_new=squares[1],
        before=before,
        after=after,
        scale=scale,
        best=offset + best,
        earliest=offset + earliest,
        latest=offset + latest,
    )


def weigh_evidence(found: Split, deviations: Vector, inflation: float) -> Shift:
    """Weigh the evidence for a change of level at the split.

    *deviations* are the distances of all points of the series from their levels. Persistent noise increases the
    variance of a mean by the factor *inflation*.
    """
    z, before, after = found.z, found.before, found.after
    bounds, split, length = found.bounds, found.split, len(deviations)
    on_old, on_new = found.on_old[:split], found.on_new[split:]
    cost = np.add.reduce(np.minimum(on_old, bounds[:split])) + np.add.reduce(np.minimum(on_new, bounds[split:]))
    together = _squares(z - fitted_level(z, found.weights, bounds), found.weights)
    gain = float(np.add.reduce(np.minimum(together, bounds))) - float(cost)
    error = (inflation * (1 / _inliers(z[:split] - before) + 1 / _inliers(z[split:] - after))) ** 0.5
    freedom = max(1.0, FREEDOM_PER_POINT * (len(z) - 2) / inflation)
    normal = min(1.0, length * 2 * student_tail(abs(after - before) / error, freedom))
    in_a_row = _run_probability(found, deviations, inflation)
    margin = min(
        gain / (CHANGE_PENALTY * inflation) - 1, 1 - normal / MAX_NOISE_PROBABILITY, 1 - in_a_row / MAX_RUN_PROBABILITY
    )
    return Shift(
        position=found.offset + split,
        earliest=found.earliest,
        latest=found.latest,
        before=before * found.scale,
        after=after * found.scale,
        error=error * found.scale,
        freedom=freedom,
        chance=max(normal, in_a_row),
        margin=margin if min(split, len(z) - split) >= MIN_POINTS else -1.0,
    )


def fitted_level(values: Vector, weights: Vector, bounds: Vector) -> float:
    """Return the mean of the *values* that are not outliers: a stationary point of the bounded cost."""
    level = median(values)
    for _ in range(8):
        near = weights * (_squares(values - level, weights) <= bounds)
        total = float(np.add.reduce(near))
        better = float(near.dot(values)) / total if total > 0 else level
        if abs(better - level) < 1e-9:
            break
        level = better
    return level


def _fitted_levels(values: Vector, weights: Vector, bounds: Vector, split: int) -> tuple[float, float]:
    """Return the levels before and after *split*."""
    old, new = slice(split), slice(split, None)
    return (fitted_level(values[old], weights[old], bounds[old]), fitted_level(values[new], weights[new], bounds[new]))


def _squares(deviations: Matrix, weights: Vector) -> Matrix:
    """Return the weighted squares of *deviations*, which are overwritten."""
    deviations *= deviations
    deviations *= weights
    return deviations


def _with_tails(squares: Matrix, bounds: Vector) -> Matrix:
    """Return the bounded costs plus what the tails of outliers add: twice the logarithm of their density's fall."""
    return np.minimum(squares, bounds) + TAIL_EXPONENT * np.log(np.maximum(squares / bounds, 1.0))


def _local_scale(values: Vector, levels: tuple[float, float], split: int) -> float:
    """Return the local noise in units of the noise of the series, at least 1."""
    residuals = np.concatenate([values[:split] - levels[0], values[split:] - levels[1]])
    return max(1.0, residual_scale(residuals, 1.0))


def _inliers(deviations: Vector) -> int:
    return max(1, int(np.count_nonzero(np.abs(deviations) <= OUTLIER_BOUND)))


def _run_probability(found: Split, deviations: Vector, inflation: float) -> float:
    """Return the probability that the shorter side consists of outliers of the longer one.

    It is the binomial probability that three quarters of a run lie as far out as the lower quarter of the shorter side,
    with the share of such points on the longer side, or in the whole series where no point of it was ever so far out.
    Persistent noise has fewer independent points.
    """
    split = found.split
    run, reference, level = found.z[split:], found.z[:split], found.before
    if len(run) > len(reference):
        run, reference, level = reference, run, found.after
    side = np.sign(median(run) - level)
    outward = side * (run - level)
    outward.sort()
    spared = len(run) // 4
    if np.count_nonzero(side * deviations >= outward[spared] * found.scale):
        beyond = int(np.count_nonzero(side * (reference - level) >= outward[spared]))
        share = (beyond + 1) / (len(reference) + 2)
    else:
        share = 1 / (len(deviations) + 2)
    trials = max(1, round(len(run) / inflation))
    needed = trials - spared * trials // len(run)
    return min(1.0, len(deviations) * binomial_tail(needed, trials, share))


def _best_split(worse_on_old: Vector, split: int) -> tuple[int, int, int]:
    """Return the best split, and the first and last positions that are as likely as *split*.

    *worse_on_old* is how much worse each point fits the old level. Each side keeps MIN_POINTS points.
    """
    costs = np.full(len(worse_on_old), np.inf)  # by split; at least one point stays on each side
    np.add.accumulate(worse_on_old[:-1], out=costs[1:])
    first, last = min(split, MIN_POINTS), max(split, len(costs) - MIN_POINTS)
    inside = costs[first : last + 1]
    places = first + (inside == np.minimum.reduce(inside)).nonzero()[0]
    best = min(places.tolist(), key=lambda place: abs(place - split))
    near = (costs <= costs[split] + COST_TOLERANCE).nonzero()[0]
    return best, min(split, int(near[0])), max(split, int(near[-1]))
