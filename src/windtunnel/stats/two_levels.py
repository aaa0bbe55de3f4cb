"""Finds out whether a sample of values has two levels, whatever the order of the values.

Some benchmarks run at one of two speeds, for example by memory layout or hash seed. Each sample is split where the sum
of squares between both parts is largest: Fisher, W. D. (1958), doi:10.1080/01621459.1958.10501479, for two groups. A
sample has two levels if

- the split is better than that of values with a normal distribution in all but ERROR of samples: Engelman, L. and
  Hartigan, J. A. (1969), Percentage points of a test for clusters, Journal of the American Statistical Association 64,
  1647-1648, and their approximation log(1 + between / within) ~ N(2.4 / (n - 2) - log(1 - 2 / pi), 1 / (n - 2));
- there is a gap: no value lies in MIN_GAP of the distance between the levels, where at most one in STRAY of the values
  of either level is ignored. Halves of uniform or exponential values have no gap;
- each level is narrow: its standard deviation is at most 1 / MIN_DISTANCE of the distance;
- each level has at least MIN_SHARE of the values. Fewer values far off are outliers, not a level.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.special import Floats, normal_tail

Flags = NDArray[np.bool_]

ERROR = 0.01
"""The probability that normal values appear to have two levels."""

MIN_MEMBERS = 2
"""The fewest values on a level."""

MIN_SHARE = 0.1
"""The smallest share of the values on a level."""

MIN_GAP = 0.3
"""The smallest gap between two levels, as a share of their distance."""

STRAY = 50
"""One in so many values may lie in the gap, on each side."""

MIN_DISTANCE = 3.0
"""The smallest distance between two levels, in standard deviations of either level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSplits:
    """The best split of each sample into a lower and an upper level; arrays have one entry per sample."""

    found: Flags
    """Whether the sample has two levels; without, the split means nothing."""
    distance: Floats
    """How far the means of the levels are apart."""
    is_upper: Flags
    """Which values are on the upper level, shape (samples, values)."""


def split_levels(values: Floats, floor: Floats | float = 0.0) -> LevelSplits:
    """Return the best split of *values*, shape (samples, values), NaN where there is none.

    The standard deviation within levels is at least *floor*, because the resolution of a clock makes values equal.
    """
    count = np.isfinite(values).sum(axis=1)
    centre = np.where(np.isfinite(values), values, 0).sum(axis=1) / np.maximum(count, 1)
    ordered = np.sort(np.where(np.isfinite(values), values, np.nan), axis=1) - centre[:, None]
    known = np.where(np.isnan(ordered), 0, ordered)
    below = np.arange(1, max(values.shape[1], 2))
    above = count[:, None] - below
    known = np.pad(known, ((0, 0), (0, below.size + 1 - known.shape[1])))
    sums, squares = np.cumsum(known, axis=1), np.cumsum(known**2, axis=1)
    allowed = (below >= MIN_MEMBERS) & (above >= MIN_MEMBERS)
    between = np.where(allowed, sums[:, :-1] ** 2 * (1 / below + 1 / np.maximum(above, 1)), -1.0)
    rows, cut = np.arange(len(values)), between.argmax(axis=1)
    low, high, total = below[cut], np.maximum(above[rows, cut], 1), squares[:, -1]
    at_cut, below_squares = sums[rows, cut], squares[rows, cut]
    distance = -at_cut / high - at_cut / low
    own = [np.maximum(below_squares - at_cut**2 / low, 0), np.maximum(total - below_squares - at_cut**2 / high, 0)]
    freedom = np.maximum(count - 2, 1)
    within = np.maximum(own[0] + own[1], freedom * floor**2)
    p = _chance(np.maximum(between[rows, cut], 0), within, freedom)
    narrow = [
        MIN_DISTANCE * np.sqrt(part / np.maximum(size - 1, 1)) <= distance
        for part, size in zip(own, (low, high), strict=True)
    ]
    possible = allowed[rows, cut]
    stray = count // STRAY
    inner = [np.maximum(cut - stray, 0), np.minimum(cut + 1 + stray, known.shape[1] - 1)]
    gap = known[rows, inner[1]] - known[rows, inner[0]]
    plain = (np.minimum(low, high) >= MIN_SHARE * count) & (gap >= MIN_GAP * distance)
    border = (known[rows, cut] + known[rows, cut + 1]) / 2 + centre
    with np.errstate(invalid="ignore"):
        is_upper = values > border[:, None]
    return LevelSplits(
        found=possible & (p <= ERROR) & plain & narrow[0] & narrow[1],
        distance=(centre - at_cut / high) - (centre + at_cut / low),
        is_upper=is_upper,
    )


def _chance(between: Floats, within: Floats, freedom: Floats) -> Floats:
    """Return the probability that the best split of normal values is as good; *freedom* is their number less two."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(between > 0, between / within, 0.0)
    score = (np.log1p(ratio) + np.log(1 - 2 / np.pi) - 2.4 / freedom) * np.sqrt(freedom)
    return np.array([normal_tail(one) for one in score.tolist()], dtype=float)
