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
