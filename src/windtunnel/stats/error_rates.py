"""Error rates of many tests: Holm levels for many cases, and levels for interim analyses."""

from collections.abc import Sequence

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
