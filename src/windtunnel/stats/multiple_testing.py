"""Control the error rate of many tests."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.special import Floats


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
