"""Confidence intervals of a median, and of the ratio of two medians."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianEstimate:
    """A positive value with its limits, low <= value <= high, all in one unit."""

    value: float
    low: float
    high: float


def ratio_of_medians(numerator: MedianEstimate, denominator: MedianEstimate) -> MedianEstimate | None:
    """Return numerator / denominator with its limits; None where a limit is not positive and finite."""
    figures = (numerator.low, numerator.high, denominator.low, denominator.high)
    if not all(0 < figure < math.inf for figure in figures):
        return None
    ratio = numerator.value / denominator.value
    down = math.hypot(math.log(numerator.value / numerator.low), math.log(denominator.high / denominator.value))
    up = math.hypot(math.log(numerator.high / numerator.value), math.log(denominator.value / denominator.low))
    return MedianEstimate(value=ratio, low=ratio * math.exp(-down), high=ratio * math.exp(up))
