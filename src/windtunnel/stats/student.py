"""Student's distribution, and sums and differences of means with unequal variances (Welch)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

Floats = NDArray[np.float64]


def upper_quantile(p: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the value that is exceeded with probability *p*, infinite where *p* is zero."""
    return np.asarray(np.where(np.asarray(p) > 0, -stdtrit(freedom, p), np.inf), dtype=float)


def upper_tail(value: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the chance of exceeding *value*."""
    return np.asarray(stdtr(freedom, -np.asarray(value, dtype=float)), dtype=float)


MOST = 1000
"""More observations a side than this are not worth naming."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSummary:
    """What is known of one side: how many, their mean and their spread (the standard deviation of one)."""

    count: int
    mean: float
    spread: float


def observations(values: Sequence[float], floor: float = 0.0) -> SampleSummary:
    """Return what *values*, at least one, tell; no spread is taken to be below *floor*, one value has none to tell."""
    spread = max(float(np.std(values, ddof=1)), floor) if len(values) > 1 else math.inf
    return SampleSummary(count=len(values), mean=float(np.mean(values)), spread=spread)


def half_width(sides: Sequence[SampleSummary], miss: float) -> float:
    """Return half the width of the interval that misses with probability *miss*.

    It is that of any sum or difference of the means of *sides*, one or more, each of which counts once.
    """
    parts = [side.spread**2 / side.count for side in sides]
    if not 0 < sum(parts) < math.inf:
        return sum(parts)  # exact, or nothing is known of a side
    freedom = sum(parts) ** 2 / sum(part**2 / (side.count - 1) for part, side in zip(parts, sides, strict=True))
    return float(upper_quantile(miss / 2, freedom) * math.sqrt(sum(parts)))


def more_needed(sides: Sequence[SampleSummary], miss: float, distance: float) -> int | None:
    """Return how many more observations a side make the half width less than *distance*, if spreads stay as they are.

    One where a side has a single observation: it says nothing of its spread, two do. None where MOST are too few.
    """
    if any(side.count < 2 for side in sides):
        return 1

    def enough(more: int) -> bool:
        return half_width([replace(side, count=side.count + more) for side in sides], miss) < distance

    if not enough(MOST):
        return None
    low, high = 1, MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
