"""Sums and differences of means of few observations whose spreads may differ, and how many more would settle one.

The interval of Welch, B. L. (1947), The generalization of "Student's" problem when several different population
variances are involved, Biometrika 34, 28-35, doi:10.1093/biomet/34.1-2.28, with his degrees of freedom; he gives them
for any number of means.
Assumption: observations are independent of each other and, on the scale in use, not far from normal. Of two normal
observations a side the interval of 95 % misses in 2 to 6 % of cases, by how unequal the spreads are; single late ones
among many make it too short (tests/calibration/test_claims.py).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from windtunnel.stats.student_part import upper_quantile

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


def half_width(sides: Sequence[Observations], miss: float) -> float:
    """Return half the width of the interval that misses with probability *miss*.

    It is that of any sum or difference of the means of *sides*, one or more, each of which counts once.
    """
    parts = [side.spread**2 / side.count for side in sides]
    if not 0 < sum(parts) < math.inf:
        return sum(parts)  # exact, or nothing is known of a side
    freedom = sum(parts) ** 2 / sum(part**2 / (side.count - 1) for part, side in zip(parts, sides, strict=True))
    return float(upper_quantile(miss / 2, freedom) * math.sqrt(sum(parts)))


def more_needed(sides: Sequence[Observations], miss: float, distance: float) -> int | None:
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
