"""Error rates of many tests: Holm levels for many cases, and levels for interim analyses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.stats.paired_differences import Floats


def holm_levels(p: Floats, alpha: float) -> Floats:
    """Return the level at which Holm's procedure tests each of *p*: reject exactly where p ≤ its level.

    The chance of any false rejection is at most *alpha*, however the tests depend on each other (Holm, S. (1979), A
    simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 65-70). Smallest p
    first, each against alpha / (tests left); the first that fails stops the procedure, and all later ones are held
    against the level at which it stopped.
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


def level_per_analysis(alpha: float, looks: Sequence[int]) -> float:
    """Return the level of each of *looks* such that all of them together err with probability *alpha* at most."""
    return alpha / len(looks)


def next_analysis(looks: Sequence[int], count: int) -> int | None:
    """Return the number of pairs at which to look next when there are *count*; None after the last look."""
    return next((look for look in looks if look > count), None)


FREEDOM = 4
"""Of the t distribution that a difference between runs is held against: cases are not equally noisy, and real histories
on shared runners have far more large differences than a normal distribution would."""

MIN_CASES = 10
"""Cases below which a spread between runs cannot be told from a change."""

NORMAL = 0.6744897501960817
"""Median absolute value of a standard normal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmpiricalNull:
    """What differences look like without a change: their *centre* and the *spread* beyond each one's own error."""

    centre: float
    spread: float


def between_runs(differences: Floats, errors: Floats) -> EmpiricalNull:
    """Return the null that *differences*, one a case and each with its standard error, show together."""
    centre = float(np.median(differences))
    away = np.abs(differences - centre)
    low, high = 0.0, float(away.max()) / NORMAL + 1e-12
    for _ in range(60):
        middle = (low + high) / 2
        scaled = away / np.hypot(middle, np.maximum(errors, 1e-12))
        low, high = (middle, high) if np.median(scaled) > NORMAL else (low, middle)
    return EmpiricalNull(centre=centre, spread=high)
