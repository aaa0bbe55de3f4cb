"""What the signs and ranks of differences say: deaf to how late a disturbed process was.

Wilcoxon, F. (1945), Individual comparisons by ranking methods, doi:10.2307/3001968; the interval is the one of
Hollander, M. and Wolfe, D. A. (1973), Nonparametric Statistical Methods, section 3.3: order statistics of the Walsh
averages. Exact for any symmetric distribution; ties and zeros count against a change.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def interval(differences: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the intervals that miss the centre with probability *alpha* at most, infinite where none does.

    *differences* has shape (cases, rounds), without gaps; *alpha* has one entry a case.
    """
    averages = _walsh(differences)
    last = averages.shape[1] - 1
    outside = np.searchsorted(_at_most(differences.shape[1]), alpha / 2, side="right")
    first = np.maximum(outside - 1, 0)
    rows = np.arange(len(averages))
    lower, upper = averages[rows, first], averages[rows, last - first]
    return np.where(outside > 0, lower, -np.inf), np.where(outside > 0, upper, np.inf)


def one_sided_p(differences: Floats, direction: Floats) -> Floats:
    """Return the chance of signed ranks at least this far in *direction* (1 up, -1 down) where nothing changed."""
    against = (_walsh(differences) * direction[:, None] <= 0).sum(axis=1)
    return np.asarray(_at_most(differences.shape[1])[against])


def _walsh(differences: Floats) -> Floats:
    """Return the mean of every two differences of a case, and of each with itself, in ascending order."""
    first, second = np.triu_indices(differences.shape[1])
    return np.sort((differences[:, first] + differences[:, second]) / 2, axis=1)


@cache
def _at_most(count: int) -> Floats:
    """Return P(signed rank sum <= k), k from 0, of *count* differences without a change."""
    probabilities = np.ones(1)
    for rank in range(1, count + 1):
        longer = np.zeros(probabilities.size + rank)
        longer[:-rank] += probabilities / 2
        longer[rank:] += probabilities / 2
        probabilities = longer
    return np.asarray(np.minimum(np.cumsum(probabilities), 1.0))
