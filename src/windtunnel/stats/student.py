"""Student's t distribution, and intervals of sums and differences of means with unequal variances.

Student (1908), The probable error of a mean, doi:10.1093/biomet/6.1.1; Welch, B. L. (1947), The generalization of
'Student's' problem when several different population variances are involved, doi:10.1093/biomet/34.1-2.28.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.special import upper_quantile

Floats = NDArray[np.float64]

MAX_OBSERVATIONS = 1000
"""The largest number of further observations per sample that is predicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSummary:
    """The summary of one sample; mean and spread have the unit of the values."""

    count: int
    mean: float
    spread: float
    """The standard deviation of one observation; infinite if unknown."""


def summarise(values: Sequence[float], floor: float = 0.0) -> SampleSummary:
    """Return the summary of one value or more; the spread is at least *floor*, and unknown for a single value."""
    spread = max(float(np.std(values, ddof=1)), floor) if len(values) > 1 else math.inf
    return SampleSummary(count=len(values), mean=float(np.mean(values)), spread=spread)


def half_width(samples: Sequence[SampleSummary], miss: float) -> float:
    """Return half the width of Welch's interval that misses with probability *miss*.

    The interval is that of any sum or difference of the means of one or more *samples*.
    """
    parts = [one.spread * one.spread / one.count for one in samples]
    if not 0 < sum(parts) < math.inf:
        return sum(parts)  # exact, or unknown
    shares = [part / sum(parts) for part in parts]  # their squares are within the range of a float
    freedom = 1 / sum(part**2 / (one.count - 1) for part, one in zip(shares, samples, strict=True))
    return float(upper_quantile(miss / 2, freedom) * math.sqrt(sum(parts)))


def more_needed(samples: Sequence[SampleSummary], miss: float, distance: float) -> int | None:
    """Return how many more observations per sample make the half width less than *distance*, with the same spreads.

    1 if a sample has a single observation, because two show a spread. None if MAX_OBSERVATIONS are too few.
    """
    if any(one.count < 2 for one in samples):
        return 1

    def suffices(more: int) -> bool:
        return half_width([replace(one, count=one.count + more) for one in samples], miss) < distance

    if not suffices(MAX_OBSERVATIONS):
        return None
    low, high = 1, MAX_OBSERVATIONS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle + 1, high)
    return low
