"""The mean of paired differences of many cases at once, and how well it is known.

On logarithms the mean difference is the logarithm of the ratio of geometric means. The unit is the pair of processes:
values of one process share its memory layout, its core and its hash seed, and say nothing of the next process.
Assumption: the differences of a case are independent and symmetric about their mean. Without a change base and head
are exchangeable within a round, hence symmetric. Heavier tails than the normal make Student's interval wider than it
need be, not narrower (Efron, B. (1969), doi:10.1080/01621459.1969.10501050), so from ROBUST_FROM pairs on the signed
ranks have their say too: each of both gets half the level, and what both allow is the interval (Boole's inequality).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats import signed_rank
from windtunnel.stats.noise_scale import MEDIAN_OF_NORMAL
from windtunnel.stats.student import upper_quantile, upper_tail

Floats = NDArray[np.float64]

ROBUST_FROM = 12
"""Pairs from which signed ranks can reach the levels of a suite: all of one sign has probability 1/4096."""

ROBUST_UNTIL = 500
"""Pairs beyond which the mean is as good as normal, and the averages of all pairs would take too much memory."""

POWER = 0.8
"""Chance of being seen that "would have been seen" stands for (Cohen, J. (1988), Statistical Power Analysis)."""

MOST_ROUNDS = 10_000
"""More rounds than this are not worth naming."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """One entry a case: number of pairs, mean difference, its standard error and the degrees of freedom of that.

    The error is infinite where nothing is known of it. *rows* are the differences themselves, shape (cases, rounds),
    NaN where there is none.
    """

    count: Floats
    mean: Floats
    error: Floats
    freedom: Floats
    rows: Floats

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
    """Return the estimates of *differences*, shape (cases, rounds), NaN or infinite where a case has no such round.

    No spread is taken to be below *floor*: ticks of a clock make equal values of unequal times.
    """
    there = np.isfinite(differences)
    count = there.sum(axis=1).astype(float)
    mean = np.where(there, differences, 0).sum(axis=1) / np.maximum(count, 1)
    squares = np.where(there, differences - mean[:, None], 0) ** 2
    spread = np.sqrt(squares.sum(axis=1) / np.maximum(count - 1, 1))
    error = np.where(count >= 2, np.maximum(spread, floor) / np.sqrt(np.maximum(count, 1)), np.inf)
    rows = np.where(there, differences, np.nan)
    return Estimates(count=count, mean=mean, error=error, freedom=np.maximum(count - 1, 1), rows=rows)


def interval(estimates: Estimates, alpha: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the two-sided intervals that miss with probability *alpha*; infinite below two pairs."""
    half = _student(estimates, np.where(_robust(estimates), alpha / 2, alpha))
    lower, upper = estimates.mean - half, estimates.mean + half
    for cases, rows in _many(estimates):
        low, high = signed_rank.interval(rows, alpha[cases] / 2)
        low, high = np.maximum(low, lower[cases]), np.minimum(high, upper[cases])
        told = low < high
        lower[cases] = np.where(told, low, lower[cases])
        upper[cases] = np.where(told, high, upper[cases])
    return lower, upper


def one_sided_p(estimates: Estimates, direction: Floats) -> Floats:
    """Return the chance of differences at least this far in *direction* (1 up, -1 down) where nothing changed."""
    towards = estimates.mean * direction
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(towards == 0, 0.0, towards / estimates.error)
    p = np.asarray(upper_tail(score, estimates.freedom), dtype=float)
    for cases, rows in _many(estimates):
        p[cases] = np.minimum(1, 2 * np.minimum(p[cases], signed_rank.one_sided_p(rows, direction[cases])))
    return p


def detectable(estimates: Estimates, alpha: Floats) -> Floats:
    """Return the smallest true mean whose interval excludes zero in four of five comparisons like this one.

    The minimum detectable effect of Bloom, H. S. (1995), doi:10.1177/0193841X9501900504: standard errors times the
    quantile of the level plus that of the power.
    """
    reach = upper_quantile(alpha / 2, estimates.freedom) + upper_quantile(1 - POWER, estimates.freedom)
    return np.asarray(reach * _effective_error(estimates, alpha), dtype=float)


def robust(estimates: Estimates) -> Estimates:
    """Return *estimates* with the median for the mean and, where it is less, the spread that most rounds have.

    That is the median absolute deviation, times what makes it a standard deviation of normal values (Hampel, 1974,
    doi:10.1080/01621459.1974.10482962). No rows are kept: ranks would see the others again.
    """
    known = estimates.count > 0
    rows = estimates.rows[known]
    centre, spread = np.zeros(known.size), np.full(known.size, np.inf)
    centre[known] = np.nanmedian(rows, axis=1)
    spread[known] = np.nanmedian(np.abs(rows - centre[known, None]), axis=1) / MEDIAN_OF_NORMAL
    error = np.minimum(estimates.error, spread / np.sqrt(np.maximum(estimates.count, 1)))
    return replace(estimates, mean=centre, error=error, rows=np.empty((centre.size, 0)))


def rounds_to_decide(estimates: Estimates, alpha: Floats, threshold: Floats) -> Floats:
    """Return the pairs after which the interval excludes zero or lies within ± *threshold*, if all else stays as it is.

    NaN where that needs more than MOST_ROUNDS, or where nothing is known of the spread.
    """
    wanted = np.maximum(np.abs(estimates.mean), threshold - np.abs(estimates.mean))
    spread = _effective_error(estimates, alpha) * np.sqrt(np.maximum(estimates.count, 1))

    def enough(count: Floats) -> NDArray[np.bool_]:
        later = replace(estimates, error=spread / np.sqrt(count), freedom=count - 1)
        return np.asarray(_student(later, alpha)) < wanted

    low, high = np.full_like(wanted, 2), np.full_like(wanted, MOST_ROUNDS)
    while np.any(low < high):
        middle = np.floor((low + high) / 2)
        low, high = np.where(enough(middle), low, middle + 1), np.where(enough(middle), middle, high)
    return np.where(enough(low), low, np.nan)


def _student(estimates: Estimates, alpha: Floats) -> Floats:
    """Return half the width of Student's interval."""
    return np.asarray(upper_quantile(alpha / 2, estimates.freedom) * estimates.error, dtype=float)


def _effective_error(estimates: Estimates, alpha: Floats) -> Floats:
    """Return the standard error with which Student's interval would be as wide as the one in use."""
    lower, upper = interval(estimates, alpha)
    return np.asarray((upper - lower) / 2 / upper_quantile(alpha / 2, estimates.freedom), dtype=float)


def _robust(estimates: Estimates) -> NDArray[np.bool_]:
    counts = np.isfinite(estimates.rows).sum(axis=1)
    return np.asarray((counts >= ROBUST_FROM) & (counts <= ROBUST_UNTIL))


def _many(estimates: Estimates) -> list[tuple[NDArray[np.intp], Floats]]:
    """Return cases and their differences, apart by how many there are, where there are many."""
    counts = np.isfinite(estimates.rows).sum(axis=1)
    ordered = np.sort(estimates.rows, axis=1)
    return [
        (cases, ordered[cases, :count])
        for count in np.unique(counts[_robust(estimates)])
        for cases in [np.flatnonzero(counts == count)]
    ]
