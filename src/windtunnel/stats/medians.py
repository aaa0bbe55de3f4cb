"""Confidence intervals of a median, and of the ratio of two medians.

The interval of a median consists of order statistics, as in the sign test: Conover, W. J. (1999), Practical
Nonparametric Statistics, section 3.4. That of a ratio adds the distances of both limits in
quadrature, on logarithms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianInterval:
    """The interval of a median, in the unit of the samples."""

    low: float
    high: float
    confidence: float
    """The confidence that the interval reaches: at least the requested one."""


def min_samples(confidence: float) -> int:
    """Return how many samples an interval of *confidence* (below 1) needs: 6 for 95 %."""
    return math.ceil(1 - math.log2(1 - confidence))


def median_interval(samples: Sequence[float], confidence: float) -> MedianInterval | None:
    """Return the narrowest interval of at least *confidence*; None if there are too few *samples*."""
    count = len(samples)
    if count < min_samples(confidence):
        return None
    rank, reached = _rank(count, confidence)
    ordered = sorted(samples)
    return MedianInterval(low=ordered[rank - 1], high=ordered[count - rank], confidence=reached)


@cache
def _rank(count: int, confidence: float) -> tuple[int, float]:
    """Return the greatest rank whose interval has *confidence*, and its confidence, computed exactly with integers."""
    rank, below, term, all_ways = 0, 0, 1, 2**count
    allowed = Fraction(1 - confidence) * all_ways / 2
    while below + term <= allowed:
        below += term  # the ways in which at most rank of count signs are equal
        term = term * (count - rank) // (rank + 1)
        rank += 1
    return rank, 1 - 2 * below / all_ways


def positive_limit(value: Number, high: Number) -> Number:
    """Return the lower limit of a positive *value* whose interval has a *high* end and would reach below zero.

    On the logarithmic scale it is as far away as *high*: with few samples the interval that asv computes is symmetric,
    and a time cannot be negative.
    """
    return value * (value / high)


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianEstimate:
    """A positive value with its limits, low <= value <= high, all in one unit."""

    value: float
    low: float
    high: float


def ratio_of_medians(numerator: MedianEstimate, denominator: MedianEstimate) -> MedianEstimate | None:
    """Return numerator / denominator with its limits; None if a limit is not positive and finite."""
    figures = (numerator.low, numerator.high, denominator.low, denominator.high)
    if not all(0 < figure < math.inf for figure in figures):
        return None
    ratio = numerator.value / denominator.value
    down = math.hypot(math.log(numerator.value / numerator.low), math.log(denominator.high / denominator.value))
    up = math.hypot(math.log(numerator.high / numerator.value), math.log(denominator.value / denominator.low))
    return MedianEstimate(value=ratio, low=ratio * math.exp(-down), high=ratio * math.exp(up))
