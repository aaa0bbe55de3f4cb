"""The difference of two means of few observations whose spreads may differ, and how many more would settle it.

The interval of Welch, B. L. (1947), The generalization of "Student's" problem when several different population
variances are involved, Biometrika 34, 28-35, doi:10.1093/biomet/34.1-2.28, with his degrees of freedom.
Assumption: observations are independent of each other and, on the scale in use, not far from normal. Of two normal
observations a side the interval of 95 % misses in 2 to 6 % of cases, by how unequal the spreads are; single late ones
among many make it too short (tests/calibration/test_claims.py).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from windtunnel.stats.student import upper_quantile

MOST = 1000
"""More observations a side than this are not worth naming."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observations:
    """What is known of one side: how many, their mean and their spread (the standard deviation of one)."""

    count: int
    mean: float
    spread: float


def observations(values: Sequence[float], floor: float = 0.0) -> Observations:
    """Return what *values*, at least one, tell; no spread is taken to be below *floor*, one value has none to tell."""
    spread = max(float(np.std(values, ddof=1)), floor) if len(values) > 1 else math.inf
    return Observations(count=len(values), mean=float(np.mean(values)), spread=spread)


def half_width(one: Observations, other: Observations, miss: float) -> float:
    """Return half the width of the interval of the difference of means that misses with probability *miss*."""
    first, second = (side.spread**2 / side.count for side in (one, other))
    if not 0 < first + second < math.inf:
        return first + second  # exact, or nothing is known of a side
    freedom = (first + second) ** 2 / (first**2 / (one.count - 1) + second**2 / (other.count - 1))
    return float(upper_quantile(miss / 2, freedom) * math.sqrt(first + second))


def more_needed(one: Observations, other: Observations, miss: float, distance: float) -> int | None:
    """Return how many more observations a side make the half width less than *distance*, if spreads stay as they are.

    One where a side has a single observation: it says nothing of its spread, two do. None where MOST are too few.
    """
    if one.count < 2 or other.count < 2:
        return 1

    def enough(more: int) -> bool:
        sides = [replace(side, count=side.count + more) for side in (one, other)]
        return half_width(sides[0], sides[1], miss) < distance

    if not enough(MOST):
        return None
    low, high = 1, MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
