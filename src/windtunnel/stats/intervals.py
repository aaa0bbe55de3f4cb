"""Intervals of a median, of the ratio of two medians, and of a proportion, also of trials that are alike in clusters.

The interval of a median consists of order statistics, as in the sign test: Conover, W. J. (1999), Practical
Nonparametric Statistics, section 3.4. That of a ratio adds the distances of both limits in quadrature, on logarithms.

Clopper, C. J. and Pearson, E. S. (1934), The use of confidence or fiducial limits illustrated in the case of the
binomial, doi:10.1093/biomet/26.4.404. Korn, E. L. and Graubard, B. I. (1998), Confidence intervals for proportions with
small expected number of positive counts estimated from survey data, Survey Methodology 24, 193-201: the same interval
with the effective number of trials.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.run import Interval
from windtunnel.stats.special import incomplete_beta, upper_quantile

CONFIDENCE = 0.95
"""The confidence of the intervals; the coverage of clustered ones is measured in tests/calibration."""


BISECTIONS = 36
"""Halvings of the interval from 0 to 1; the error is below 1e-11."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion:
    """A proportion with its interval."""

    hits: int
    trials: int
    clusters: int
    """The number of clusters with a trial."""
    rate: float
    low: float
    high: float


def proportion(hits: int, trials: int) -> Proportion | None:
    """Return the proportion of independent trials with the interval of Clopper and Pearson; None without a trial."""
    if trials == 0:
        return None
    low, high = _exact_interval(hits, trials)
    return Proportion(hits=hits, trials=trials, clusters=trials, rate=hits / trials, low=low, high=high)


def clustered_proportion(hits: Sequence[int], trials: Sequence[int]) -> Proportion | None:
    """Return the proportion of all trials with the interval of Korn and Graubard; one entry for each cluster.

    The effective number of trials is trials / design effect, where the design effect is the variance between clusters
    over that of independent trials, at least 1. It shrinks further by the ratio of Student's quantiles, because few
    clusters say little about their variance. None without a trial; from 0 to 1 for a single cluster.
    """
    counts = np.array([(hit, trial) for hit, trial in zip(hits, trials, strict=True) if trial], dtype=float)
    if not len(counts):
        return None
    (hit, trial), clusters = counts.sum(axis=0), len(counts)
    rate = hit / trial
    low, high = 0.0, 1.0
    if clusters > 1:
        tail = (1 - CONFIDENCE) / 2
        simple = rate * (1 - rate) / trial
        between = clusters / (clusters - 1) * ((counts[:, 0] - rate * counts[:, 1]) ** 2).sum() / trial**2
        effect = max(1.0, between / simple) if simple else 1.0
        student = float(upper_quantile(tail, max(trial - 1, 1)) / upper_quantile(tail, clusters - 1))
        effective = min(trial, trial / effect * student**2)
        low, high = _exact_interval(rate * effective, effective)
    return Proportion(hits=int(hit), trials=int(trial), clusters=clusters, rate=float(rate), low=low, high=high)


def _exact_interval(hits: float, trials: float) -> tuple[float, float]:
    tail = (1 - CONFIDENCE) / 2
    low = _beta_quantile(tail, hits, trials - hits + 1) if hits > 0 else 0.0
    high = _beta_quantile(1 - tail, hits + 1, trials - hits) if hits < trials else 1.0
    return low, high


def _beta_quantile(p: float, a: float, b: float) -> float:
    """Return where the beta distribution reaches *p*, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if incomplete_beta(a, b, middle) < p else (low, middle)
    return (low + high) / 2


Number = TypeVar("Number", float, NDArray[np.float64])


def median_interval(samples: Sequence[float], confidence: float) -> Interval | None:
    """Return the narrowest interval of at least *confidence*; None if there are too few *samples*: 6 for 95 %."""
    count = len(samples)
    rank = _rank(count, confidence)
    if not rank:
        return None
    ordered = sorted(samples)
    return Interval(low=ordered[rank - 1], high=ordered[count - rank])


@cache
def _rank(count: int, confidence: float) -> int:
    """Return the greatest rank whose interval has *confidence*, computed exactly with integers; 0 without one."""
    rank, below, term = 0, 0, 1
    allowed = Fraction(1 - confidence) * 2**count / 2
    while below + term <= allowed:
        below += term  # the ways in which at most rank of count signs are equal
        term = term * (count - rank) // (rank + 1)
        rank += 1
    return rank


def positive_limit(value: Number, high: Number) -> Number:
    """Return the lower limit of a positive *value* whose interval has a *high* end and would reach below zero.

    On the logarithmic scale it is as far away as *high*: with few samples the interval that asv computes is symmetric,
    and a time cannot be negative.
    """
    return value * (value / high)


Limits = tuple[float, float]


def ratio_limits(numerator: float, its_limits: Limits, denominator: float, other_limits: Limits) -> Limits | None:
    """Return the limits of *numerator* / *denominator* by their own; None if one is not positive and finite."""
    if not all(0 < limit < math.inf for limit in (*its_limits, *other_limits)):
        return None
    ratio = numerator / denominator
    down = math.hypot(math.log(numerator / its_limits[0]), math.log(other_limits[1] / denominator))
    up = math.hypot(math.log(its_limits[1] / numerator), math.log(denominator / other_limits[0]))
    return ratio * math.exp(-down), ratio * math.exp(up)
