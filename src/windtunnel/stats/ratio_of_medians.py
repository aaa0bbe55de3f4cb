"""The interval of the ratio of two medians, from the interval of each.

Method of variance estimates recovery, on logarithms: each limit of the ratio lies as far from it as the square root
of the sum of squares of the two distances that pull it there (Zou, G. Y. and Donner, A. (2008), Construction of
confidence limits about effect measures: a general approach, Statistics in Medicine 27, 1693-1702,
doi:10.1002/sim.3095). A logarithm takes medians and their limits along, so the ratio stays positive and its
reciprocal has the reciprocal limits.
Assumption: the two medians are estimated independently of each other. Of two intervals of at least 95 % it makes one
that misses in at most 2.5 % of cases with 6 to 30 independent samples a side, and in 8 % with 2 processes of 3 samples
that scatter as much as the samples within (tests/calibration/test_overview_intervals.py).
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A positive value with its limits, low <= value <= high, all in one unit."""

    value: float
    low: float
    high: float


def ratio_of_medians(numerator: Estimate, denominator: Estimate) -> Estimate | None:
    """Return numerator / denominator with its limits; None where a limit is not positive and finite."""
    figures = (numerator.low, numerator.high, denominator.low, denominator.high)
    if not all(0 < figure < math.inf for figure in figures):
        return None
    ratio = numerator.value / denominator.value
    down = math.hypot(math.log(numerator.value / numerator.low), math.log(denominator.high / denominator.value))
    up = math.hypot(math.log(numerator.high / numerator.value), math.log(denominator.value / denominator.low))
    return Estimate(value=ratio, low=ratio * math.exp(-down), high=ratio * math.exp(up))
