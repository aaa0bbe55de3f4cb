"""The interval of a median from its samples, whatever their distribution.

Between the r-th smallest and the r-th largest of n independent samples lies the true median with probability
1 - 2 P(B < r), B binomial with n and 1/2 (Thompson, W. R. (1936), On confidence ranges for the median, Annals of
Mathematical Statistics 7, 122-128, doi:10.1214/aoms/1177732502); hence the least n that reaches a confidence.
Assumption: samples are independent of each other. Those of one process share its memory layout and hash seed: where
processes scatter as much as the samples within one, the interval of 2 processes with 3 samples each, which should
miss in 3 % of cases, misses in 13 % (tests/calibration/test_overview_intervals.py).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianInterval:
    """The limits, in the unit of the samples, and the *confidence* that they reach: at least what was asked for."""

    low: float
    high: float
    confidence: float


def fewest_samples(confidence: float) -> int:
    """Return how many samples an interval of *confidence* (below 1) takes: 6 for 95 %."""
    return math.ceil(1 - math.log2(1 - confidence))


def median_interval(samples: Sequence[float], confidence: float) -> MedianInterval | None:
    """Return the narrowest interval of at least *confidence*; None where there are too few *samples* for any."""
    count = len(samples)
    if count < fewest_samples(confidence):
        return None
    rank, reached = _rank(count, confidence)
    ordered = sorted(samples)
    return MedianInterval(low=ordered[rank - 1], high=ordered[count - rank], confidence=reached)


@cache
def _rank(count: int, confidence: float) -> tuple[int, float]:
    """Return the greatest r whose interval has *confidence*, and what it has; in whole numbers, hence exact."""
    rank, below, term, all_ways = 0, 0, 1, 2**count
    allowed = Fraction(1 - confidence) * all_ways / 2
    while below + term <= allowed:
        below += term  # of count signs, the ways to have at most rank of one kind
        term = term * (count - rank) // (rank + 1)
        rank += 1
    return rank, 1 - 2 * below / all_ways
