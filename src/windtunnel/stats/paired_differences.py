"""Estimate the mean of paired differences of many cases at once, with confidence intervals.

On logarithms, the mean difference is the logarithm of the ratio of geometric means. The unit is the pair of processes:
the values of one process share memory layout, core and hash seed, and do not predict those of the next process.

Assumption: the differences of a case are independent and symmetric about their mean. Without a change, base and head
are exchangeable within a round, hence symmetric. Tails heavier than the normal ones make Student's interval wider than
necessary, not narrower (Efron, B. (1969), doi:10.1080/01621459.1969.10501050). From MIN_RANKED pairs on, signed ranks
are used as well: each of both intervals gets half the error rate, and the result is their intersection (Boole's
inequality).

Signed ranks ignore how late a disturbed process was: Wilcoxon, F. (1945), Individual comparisons by ranking methods,
doi:10.2307/3001968. Their interval consists of order statistics of the Walsh averages: Hollander, M. and Wolfe, D. A.
(1973), Nonparametric Statistical Methods, section 3.3. It is exact for any symmetric
distribution; ties and zeros count against a change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.special import MEDIAN_OF_NORMAL, Floats, upper_quantile, upper_tail

MIN_RANKED = 12
"""Pairs from which signed ranks can reach the error rates of a suite: all of one sign has probability 1/4096."""

MAX_RANKED = 500
"""Pairs beyond which the mean is practically normal, and the averages of all pairs would take too much memory."""

POWER = 0.8
"""The probability of detection that "detectable" stands for (Cohen, J. (1988), Statistical Power Analysis)."""

MIN_ADJUSTED = 6
"""Pairs from which a covariate leaves enough to estimate the noise from."""

MAX_ROUNDS = 10_000
"""The largest number of rounds that is predicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """The mean differences of many cases; arrays have one entry per case."""

    count: Floats
    """The number of pairs."""
    mean: Floats
    error: Floats
    """The standard error of the mean; infinite if unknown."""
    freedom: Floats
    """The degrees of freedom of that error."""
    rows: Floats
    """The differences, shape (cases, rounds), NaN where there is none."""

    def of(self, cases: NDArray[np.bool_] | NDArray[np.intp]) -> "Estimates":
        """Return the estimates of *cases* only."""
        return Estimates(
            count=self.count[cases],
            mean=self.mean[cases],
            error=self.error[cases],
            freedom=self.freedom[cases],
            rows=self.rows[cases],
        )


def estimate(differences: Floats, floor: Floats | float = 0.0) -> Estimates:
    """Return the estimates of *differences*, shape (cases, rounds), NaN or infinite where there is none.

    Standard deviations are at least *floor*, because the resolution of a clock makes unequal times equal.
    """
    there = np.isfinite(differences)
    count = there.sum(axis=1).astype(float)
    mean = np.where(there, differences, 0).sum(axis=1) / np.maximum(count, 1)
    squares = np.where(there, differences - mean[:, None], 0) ** 2
    spread = np.sqrt(squares.sum(axis=1) / np.maximum(count - 1, 1))
    error = np.where(count >= 2, np.maximum(spread, floor) / np.sqrt(np.maximum(count, 1)), np.inf)
    rows = np.where(there, differences, np.nan)
    return Estimates(count=count, mean=mean, error=error, freedom=np.maximum(count - 1, 1), rows=rows)


def adjust_for(differences: Floats, covariate: Floats, floor: Floats | float = 0.0) -> Estimates:
    """Return the estimates of *differences* at zero of the *covariate*, both of shape (cases, rounds).

    A line of least squares is drawn through the differences of each case. Its residuals, widened by what the slope
    costs, are the rows, so all intervals include the error of the slope. The error is infinite below MIN_ADJUSTED
    pairs, and where the covariate does not vary.
    """
    there = np.isfinite(differences) & np.isfinite(covariate)
    count = there.sum(axis=1).astype(float)
    pairs = np.maximum(count, 1)
    mean, centre = (np.where(there, one, 0).sum(axis=1) / pairs for one in (differences, covariate))
    around = np.where(there, covariate - centre[:, None], 0)
    variation = (around**2).sum(axis=1)
    varies = (variation > 0) & (count >= MIN_ADJUSTED)
    variation = np.where(varies, variation, 1)
    slope = np.where(varies, (around * np.where(there, differences, 0)).sum(axis=1) / variation, 0)
    mean = mean - slope * centre
    residuals = np.where(there, differences - slope[:, None] * covariate - mean[:, None], 0)
    spread = np.sqrt((residuals**2).sum(axis=1) / np.maximum(count - 2, 1))
    error = np.maximum(spread, floor) * np.sqrt(1 / pairs + centre**2 / variation)
    plain = np.sqrt((residuals**2).sum(axis=1) / np.maximum(count - 1, 1) / pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        wider = np.where(plain > 0, error / plain, 1.0)
    return Estimates(
        count=count,
        mean=mean,
        error=np.where(varies, error, np.inf),
        freedom=np.maximum(count - 2, 1),
        rows=np.where(there, mean[:, None] + wider[:, None] * residuals, np.nan),
    )


def choose(chosen: NDArray[np.bool_], second: Estimates, first: Estimates) -> Estimates:
    """Return *second* where *chosen*, else *first*."""
    width = max(second.rows.shape[1], first.rows.shape[1])
    rows = (
        np.pad(one.rows, ((0, 0), (0, width - one.rows.shape[1])), constant_values=np.nan) for one in (second, first)
    )
    return Estimates(
        count=np.where(chosen, second.count, first.count),
        mean=np.where(chosen, second.mean, first.mean),
        error=np.where(chosen, second.error, first.error),
        freedom=np.where(chosen, second.freedom, first.freedom),
        rows=np.where(chosen[:, None], *rows),
    )


def interval(estimates: Estimates, alpha: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the two-sided intervals with error rates *alpha* (shape: cases); infinite below two pairs."""
    half = _half_width(estimates, np.where(_is_ranked(estimates), alpha / 2, alpha))
    lower, upper = estimates.mean - half, estimates.mean + half
    for cases, rows in _ranked_groups(estimates):
        low, high = signed_rank_interval(rows, alpha[cases] / 2)
        low, high = np.maximum(low, lower[cases]), np.minimum(high, upper[cases])
        valid = low < high
        lower[cases] = np.where(valid, low, lower[cases])
        upper[cases] = np.where(valid, high, upper[cases])
    return lower, upper


def one_sided_p(estimates: Estimates, direction: Floats) -> Floats:
    """Return the probability, without a change, of differences at least this far in *direction* (1 up, -1 down)."""
    towards = estimates.mean * direction
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(towards == 0, 0.0, towards / estimates.error)
    p = np.asarray(upper_tail(score, estimates.freedom), dtype=float)
    for cases, rows in _ranked_groups(estimates):
        p[cases] = np.minimum(1, 2 * np.minimum(p[cases], signed_rank_p(rows, direction[cases])))
    return p


def detectable(estimates: Estimates, alpha: Floats) -> Floats:
    """Return the smallest true mean whose interval excludes zero with probability POWER.

    The minimum detectable effect: Bloom, H. S. (1995), doi:10.1177/0193841X9501900504. It is the standard error times
    the sum of the quantiles of the error rate and of the power.
    """
    reach = upper_quantile(alpha / 2, estimates.freedom) + upper_quantile(1 - POWER, estimates.freedom)
    return np.asarray(reach * _effective_error(estimates, alpha), dtype=float)


def robust(estimates: Estimates) -> Estimates:
    """Return *estimates* with the median for the mean, and with the spread of most rounds if that is smaller.

    The spread is the median absolute deviation, scaled to a standard deviation of normal values: Hampel, F. R. (1974),
    doi:10.1080/01621459.1974.10482962. The rows are dropped, because ranks would include outliers again.
    """
    known = estimates.count > 0
    rows = estimates.rows[known]
    centre, spread = np.zeros(known.size), np.full(known.size, np.inf)
    centre[known] = np.nanmedian(rows, axis=1)
    spread[known] = np.nanmedian(np.abs(rows - centre[known, None]), axis=1) / MEDIAN_OF_NORMAL
    error = np.minimum(estimates.error, spread / np.sqrt(np.maximum(estimates.count, 1)))
    return replace(estimates, mean=centre, error=error, rows=np.empty((centre.size, 0)))


def rounds_to_decide(estimates: Estimates, alpha: Floats, threshold: Floats) -> Floats:
    """Return the pairs after which the interval excludes zero or lies within ± *threshold*, if nothing else changes.

    NaN if more than MAX_ROUNDS are needed, or if the spread is unknown.
    """
    wanted = np.maximum(np.abs(estimates.mean), threshold - np.abs(estimates.mean))
    spread = _effective_error(estimates, alpha) * np.sqrt(np.maximum(estimates.count, 1))

    def suffices(count: Floats) -> NDArray[np.bool_]:
        later = replace(estimates, error=spread / np.sqrt(count), freedom=count - 1)
        return np.asarray(_half_width(later, alpha)) < wanted

    low, high = np.full_like(wanted, 2), np.full_like(wanted, MAX_ROUNDS)
    while np.any(low < high):
        middle = np.floor((low + high) / 2)
        low, high = np.where(suffices(middle), low, middle + 1), np.where(suffices(middle), middle, high)
    return np.where(suffices(low), low, np.nan)


def signed_rank_interval(differences: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the intervals that miss the centre with probability *alpha* at most; infinite if none does.

    *differences* has shape (cases, rounds), without gaps; *alpha* has one entry per case.
    """
    averages = _walsh_averages(differences)
    last = averages.shape[1] - 1
    outside = np.searchsorted(_rank_sum_distribution(differences.shape[1]), alpha / 2, side="right")
    first = np.maximum(outside - 1, 0)
    rows = np.arange(len(averages))
    lower, upper = averages[rows, first], averages[rows, last - first]
    return np.where(outside > 0, lower, -np.inf), np.where(outside > 0, upper, np.inf)


def signed_rank_p(differences: Floats, direction: Floats) -> Floats:
    """Return the probability, without a change, of signed ranks at least this far in *direction* (1 up, -1 down)."""
    against = (_walsh_averages(differences) * direction[:, None] <= 0).sum(axis=1)
    return np.asarray(_rank_sum_distribution(differences.shape[1])[against])


def _walsh_averages(differences: Floats) -> Floats:
    """Return the mean of every two differences of a case, and of each with itself, in ascending order."""
    first, second = np.triu_indices(differences.shape[1])
    return np.sort((differences[:, first] + differences[:, second]) / 2, axis=1)


@cache
def _rank_sum_distribution(count: int) -> Floats:
    """Return P(signed rank sum <= k), k from 0, of *count* differences without a change."""
    probabilities = np.ones(1)
    for rank in range(1, count + 1):
        longer = np.zeros(probabilities.size + rank)
        longer[:-rank] += probabilities / 2
        longer[rank:] += probabilities / 2
        probabilities = longer
    return np.asarray(np.minimum(np.cumsum(probabilities), 1.0))


def _half_width(estimates: Estimates, alpha: Floats) -> Floats:
    """Return half the width of Student's interval."""
    return np.asarray(upper_quantile(alpha / 2, estimates.freedom) * estimates.error, dtype=float)


def _effective_error(estimates: Estimates, alpha: Floats) -> Floats:
    """Return the standard error that makes Student's interval as wide as the one in use."""
    lower, upper = interval(estimates, alpha)
    return np.asarray((upper - lower) / 2 / upper_quantile(alpha / 2, estimates.freedom), dtype=float)


def _is_ranked(estimates: Estimates) -> NDArray[np.bool_]:
    counts = np.isfinite(estimates.rows).sum(axis=1)
    return np.asarray((counts >= MIN_RANKED) & (counts <= MAX_RANKED))


def _ranked_groups(estimates: Estimates) -> list[tuple[NDArray[np.intp], Floats]]:
    """Return cases and their differences, grouped by the number of pairs, where signed ranks are used."""
    counts = np.isfinite(estimates.rows).sum(axis=1)
    ordered = np.sort(estimates.rows, axis=1)
    return [
        (cases, ordered[cases, :count])
        for count in np.unique(counts[_is_ranked(estimates)])
        for cases in [np.flatnonzero(counts == count)]
    ]


def holm_levels(p: Floats, alpha: float) -> Floats:
    """Return the level at which Holm's procedure tests each of *p* (shape: cases): it rejects where p ≤ its level.

    The probability of any false rejection is at most *alpha*, however the tests depend on each other: Holm, S. (1979),
    A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 65-70,
    https://www.jstor.org/stable/4615733. The smallest p is first, each has the level alpha / (tests left); the first
    that is not rejected ends the procedure, and its level applies to all later ones.
    """
    levels = np.full(p.shape, alpha)
    left = p.size
    for index in np.argsort(p, kind="stable"):
        levels[index] = alpha / left
        if not p[index] <= levels[index]:
            levels[p >= p[index]] = levels[index]
            break
        left -= 1
    return levels


def benjamini_hochberg(p: Floats, rate: float) -> NDArray[np.bool_]:
    """Return which of *p* (shape: hypotheses) are rejected so that at most the share *rate* of the rejections is false.

    It is the expected share, for p-values that are independent or positively dependent: Benjamini, Y. and Hochberg, Y.
    (1995), Controlling the false discovery rate, doi:10.1111/j.2517-6161.1995.tb02031.x; Benjamini, Y. and Yekutieli,
    D. (2001), doi:10.1214/aos/1013699998.
    """
    ranked = np.sort(p)
    passing = np.flatnonzero(ranked <= rate * np.arange(1, p.size + 1) / max(p.size, 1))
    return np.asarray(p <= ranked[passing[-1]]) if passing.size else np.zeros(p.shape, dtype=bool)


def level_per_analysis(alpha: float, interim_analyses: Sequence[int]) -> float:
    """Return the level of each of *interim_analyses* so that all of them together err with probability *alpha* at most.

    Bonferroni's correction: Dunn, O. J. (1961), doi:10.1080/01621459.1961.10482090.
    """
    return alpha / len(interim_analyses)


def next_analysis(interim_analyses: Sequence[int], count: int) -> int | None:
    """Return the number of pairs of the next analysis if there are *count*; None after the last one."""
    return next((analysis for analysis in interim_analyses if analysis > count), None)
