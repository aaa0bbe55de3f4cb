"""How far two runs of the same code lie apart, learnt from the cases themselves.

Two stored runs differ by more than their samples tell: other hour, other core, other neighbours. Where most cases have
not changed, the spread of all differences shows how much (Efron, B. (2004), Large-scale simultaneous hypothesis
testing: the choice of a null hypothesis, doi:10.1198/016214504000000089). Centre and spread are the median and the
median absolute deviation, so up to half of the cases may have changed.
Assumption: no case is noisier between runs than the others by more than the tails of a t distribution with FREEDOM
degrees allow.
"""

from dataclasses import dataclass

import numpy as np

from windtunnel.stats.paired_differences import Floats

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
