"""Recognise the parts of a series that flip between two levels, and find where the shares of the levels change.

A part flips if nearly all of its points lie on one of two levels, and it goes back and forth between them more often
than its changes of level explain. Its flips are not changes. A change of the share of points on the upper level is one:
the best split by the likelihood ratio of two binomial shares, over all positions of the part, then in both halves
(binary segmentation: Scott, A. J. and Knott, M. (1974), A cluster analysis method for grouping means in the analysis of
variance, doi:10.2307/2529204). Stays of several runs on one level count as fewer independent points.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.run import LevelShares
from windtunnel.stats.change_evidence import COST_TOLERANCE, Shift
from windtunnel.stats.change_points import OUTLIER_BOUND
from windtunnel.stats.special import MEDIAN_OF_NORMAL, Vector, median, normal_tail, persistence, quantile

MIN_STRETCH = 15
"""Points that show whether a series flips."""
MIN_GAP = 4.5
"""Smallest distance of two levels, in standard deviations of the points around them."""
WINDOW = 60
"""Points on either side of a change that show whether it is a flip."""
MAX_MISPLACEMENT = 10
"""Points by which a change of shares may be away from the change of level that shows it."""
MIN_VISITS = 5
"""Stays on the other level within segments, which changes of level do not explain."""
MIN_ON_LEVELS = 0.85
"""Smallest share of points that lie near one of the two levels."""
MAX_WANDER = 2.0
"""Largest spread about a level, relative to that between neighbours on it: a level of its own does not move.

The idea is that of von Neumann, J. (1941), doi:10.1214/aoms/1177731677, with medians.
"""
MIN_ON_OTHER = 0.7
"""Smallest share of the points away from the level of their segment that lie near the other one: outliers scatter."""
PURE = 0.1
"""A share that is this close to 0 or 1 is a level, not a mixture."""
MIN_SIDE = 8
"""Points on either side of a change of shares."""
MAX_CHANCE = 0.01
"""The largest probability that flips explain a change of shares, over all positions of the part."""
MAX_FREEDOM = 100.0
"""Degrees of freedom of a share's error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippingStretch:
    """A part of a series that flips between two levels."""

    start: int
    """The index of its first point."""
    end: int
    """The index after its last point."""
    low: float
    """The lower level."""
    high: float
    """The upper level."""
    share: float
    """The share of points on the upper level."""
    flips: int
    """How many changes of level were left out because they are nothing but flips."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """What flips in a series, and what does not."""

    kept: tuple[int, ...]
    """The changes of level that are not flips."""
    stretches: tuple[FlippingStretch, ...] = ()
    changes: tuple[Shift, ...] = ()
    """The changes of the share of points on the upper level; their levels are means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _TwoLevels:
    low: float
    high: float
    is_high: NDArray[np.bool_]
    """Which points are nearer to the upper level."""
    is_near: NDArray[np.bool_]
    """Which points lie near one of the levels."""


class _Sides(NamedTuple):
    """Both sides of ordered points, for each size of the lower side that leaves two points on either side."""

    below: NDArray[np.int64]
    """The index of the median of the lower side."""
    above: NDArray[np.int64]
    """The index of the median of the upper side."""
    odd_below: Vector
    """-1 where the lower side has an odd number of points, else 0."""
    odd_above: Vector
    """The same for the upper side."""


def find_flips(values: Vector, starts: Sequence[int], least_noise: float) -> Flips:
    """Return which of the changes of level at *starts* (ascending) are not flips, and what flips.

    A part that does not flip as a whole is cut at its largest change, and each half is examined. Then the points around
    each change that is left are.
    """
    found = _examine(values, 0, len(values), tuple(starts), least_noise)
    around = {at: _flipping_around(values, at, starts, least_noise) for at in found.kept}
    return Flips(
        kept=tuple(at for at, stretch in around.items() if stretch is None),
        stretches=(*found.stretches, *filter(None, around.values())),
        changes=found.changes,
    )


def _flipping_around(values: Vector, at: int, starts: Sequence[int], least_noise: float) -> FlippingStretch | None:
    """Return the points around the change at *at* if it is one of their flips, and not a change of their shares."""
    start, end = max(0, at - WINDOW), min(len(values), at + WINDOW)
    edges = (start, *sorted({at, *(each for each in starts if start < each < end)}), end)
    part = values[start:end]
    levels = _two_levels(part, least_noise) if len(part) >= MIN_STRETCH else None
    if levels is None or not _goes_back_and_forth(levels, [edge - start for edge in edges]):
        return None
    near = edges.index(at)
    if not _is_explained(part, levels, (edges[near - 1] - start, at - start, edges[near + 1] - start)):
        return None
    changes = _share_changes(levels, 0, len(part))
    if any(abs(change.position + start - at) <= MAX_MISPLACEMENT for change in changes):
        return None
    share = _share(levels.is_high)
    return FlippingStretch(start=start, end=end, low=levels.low, high=levels.high, share=share, flips=1)


def _examine(values: Vector, start: int, end: int, inside: tuple[int, ...], least_noise: float) -> Flips:
    if not inside or end - start < MIN_STRETCH:
        return Flips(kept=inside)
    part = values[start:end]
    edges = (start, *inside, end)
    levels = _two_levels(part, least_noise)
    if levels is not None and _goes_back_and_forth(levels, [edge - start for edge in edges]):
        return _flipping(part, levels, start, edges)
    medians = [median(values[a:b]) for a, b in pairwise(edges)]
    sizes = [abs(after - before) for before, after in pairwise(medians)]
    cut = int(np.argmax(sizes))
    old = _examine(values, start, inside[cut], inside[:cut], least_noise)
    new = _examine(values, inside[cut], end, inside[cut + 1 :], least_noise)
    return Flips(
        kept=(*old.kept, inside[cut], *new.kept),
        stretches=(*old.stretches, *new.stretches),
        changes=(*old.changes, *new.changes),
    )


def _two_levels(part: Vector, least_noise: float) -> _TwoLevels | None:
    """Return the two levels of *part*, None where it has not two: the split of least absolute deviations."""
    ordered = part.copy()
    ordered.sort()
    ordered = np.minimum(np.maximum(ordered, quantile(ordered, 0.02)), quantile(ordered, 0.98))
    sums = np.zeros(len(part) + 1)
    np.add.accumulate(ordered, out=sums[1:])
    sides = _sides(len(part))
    # Sums of absolute deviations from the medians of both sides, for each size of the lower side.
    at_cut = sums[2:-2]
    low = ordered[sides.below] * sides.odd_below + at_cut - 2 * sums[sides.below]
    high = ordered[sides.above] * sides.odd_above + sums[-1] + at_cut - 2 * sums[sides.above]
    cut = int((low + high).argmin())
    lower, upper = float(ordered[sides.below[cut]]), float(ordered[sides.above[cut]])
    is_high: NDArray[np.bool_] = part > (lower + upper) / 2
    distance = np.abs(part - np.where(is_high, upper, lower))
    spread = max(least_noise, median(distance) / MEDIAN_OF_NORMAL)
    if upper - lower < MIN_GAP * spread:
        return None
    is_near = distance <= OUTLIER_BOUND * spread
    if _share(is_near) < MIN_ON_LEVELS or spread > MAX_WANDER * max(least_noise, _local_spread(part, is_high)):
        return None
    return _TwoLevels(low=lower, high=upper, is_high=is_high, is_near=is_near)


@lru_cache(maxsize=64)
def _sides(count: int) -> _Sides:
    """Return the sides of *count* points."""
    sizes = np.arange(2, count - 1)
    return _Sides(
        below=sizes // 2,
        above=(sizes + count) // 2,
        odd_below=-(sizes % 2).astype(float),
        odd_above=-((sizes + count) % 2).astype(float),
    )


def _local_spread(part: Vector, is_high: NDArray[np.bool_]) -> float:
    """Return the standard deviation of points about their level, from the differences of neighbours on one level."""
    high, low = part[is_high], part[~is_high]
    steps = np.concatenate([high[1:] - high[:-1], low[1:] - low[:-1]])
    return median(np.abs(steps)) / (MEDIAN_OF_NORMAL * 2**0.5) if len(steps) else 0.0


def _goes_back_and_forth(levels: _TwoLevels, edges: Sequence[int]) -> bool:
    """Return whether enough points within the segments between *edges* are on the other level of the two."""
    on_other, visits, strays = 0, 0, 0
    for start, end in pairwise(edges):
        is_high, is_near = levels.is_high[start:end], levels.is_near[start:end]
        own = 2 * int(np.count_nonzero(is_high)) > end - start
        other = (is_high != own) & is_near
        here = int(np.count_nonzero(other))
        on_other += here
        strays += here + end - start - int(np.count_nonzero(is_near))
        visits += int(np.count_nonzero(other[:1]) + np.count_nonzero(other[1:] > other[:-1]))
    return visits >= MIN_VISITS and on_other >= MIN_ON_OTHER * strays


def _is_explained(part: Vector, levels: _TwoLevels, edges: tuple[int, int, int]) -> bool:
    """Return whether the shares of the levels explain the change at the middle of *edges* better than moved levels."""
    start, at, end = edges
    gap = levels.high - levels.low
    folded = part - gap * levels.is_high  # the points of the upper level are moved to the lower one
    moved = median(folded[at:end]) - median(folded[start:at])
    shares = _share(levels.is_high[at:end]) - _share(levels.is_high[start:at])
    return abs(moved) <= gap * abs(shares)


def _share(flags: NDArray[np.bool_]) -> float:
    """Return the share of *flags* that are set."""
    return int(np.count_nonzero(flags)) / len(flags)


def _flipping(part: Vector, levels: _TwoLevels, start: int, edges: tuple[int, ...]) -> Flips:
    """Return the changes of shares in a part that flips; a change from one pure level to the other is one of level.

    So is a change of both levels.
    """
    inside = edges[1:-1]
    kept, changes = list[int](), list[Shift]()
    for before, at, after in zip(edges, inside, edges[2:], strict=False):
        if not _is_explained(part, levels, (before - start, at - start, after - start)):
            kept.append(at)
    for change in _share_changes(levels, 0, len(levels.is_high)):
        shares = change.shares
        if shares and min(shares.before, shares.after) <= PURE and max(shares.before, shares.after) >= 1 - PURE:
            kept += [] if change.position + start in kept else [change.position + start]
        else:
            moved = {name: getattr(change, name) + start for name in ("position", "earliest", "latest")}
            changes.append(replace(change, **moved))
    stretch = FlippingStretch(
        start=start,
        end=start + len(levels.is_high),
        low=levels.low,
        high=levels.high,
        share=_share(levels.is_high),
        flips=max(0, len(inside) - len(kept) - len(changes)),
    )
    return Flips(kept=tuple(sorted(kept)), stretches=(stretch,), changes=tuple(changes))


def _share_changes(levels: _TwoLevels, start: int, end: int) -> Iterator[Shift]:
    """Yield the changes of shares between the points *start* and *end*, in their order."""
    change = _best_change(levels, start, end)
    if change is not None:
        yield from _share_changes(levels, start, change.position)
        yield change
        yield from _share_changes(levels, change.position, end)


def _best_change(levels: _TwoLevels, start: int, end: int) -> Shift | None:
    states = levels.is_high[start:end].astype(float)
    total = len(states)
    if total < 2 * MIN_SIDE:
        return None
    n_old = np.arange(MIN_SIDE, total - MIN_SIDE + 1)
    k_old = np.cumsum(states)[n_old - 1]
    k_all = float(states.sum())
    successes, trials = np.concatenate([k_old, k_all - k_old, [k_all]]), np.concatenate([n_old, total - n_old, [total]])
    likelihoods = _log_likelihood(successes, trials)
    gain = 2 * (likelihoods[: len(n_old)] + likelihoods[len(n_old) : -1] - likelihoods[-1])
    best = int(gain.argmax())
    at = int(n_old[best])
    before, after = float(k_old[best]) / at, (k_all - float(k_old[best])) / (total - at)
    inflation = persistence(states - k_all / total, OUTLIER_BOUND)
    chance = min(1.0, total * 2 * normal_tail(max(0.0, float(gain[best])) ** 0.5 / inflation**0.5))
    if chance > MAX_CHANCE:
        return None
    near = n_old[gain >= gain[best] - COST_TOLERANCE * inflation]
    variance = before * (1 - before) / at + after * (1 - after) / (total - at)
    gap = levels.high - levels.low
    return Shift(
        position=start + at,
        earliest=start + int(near[0]),
        latest=start + int(near[-1]),
        before=levels.low + gap * before,
        after=levels.low + gap * after,
        error=gap * max((variance * inflation) ** 0.5, 1 / total),
        shares=LevelShares(low=levels.low, high=levels.high, before=before, after=after),
        freedom=min(MAX_FREEDOM, max(1.0, (total - 2) / inflation)),
        chance=chance,
    )


def _log_likelihood(successes: Vector, trials: NDArray[np.int64]) -> Vector:
    """Return the largest logarithm of the likelihood of *successes* in *trials* with one share."""
    share = successes / trials
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share > 0, successes * np.log(share), 0) + np.where(
            share < 1, (trials - successes) * np.log1p(-share), 0
        )
    return np.asarray(terms)
