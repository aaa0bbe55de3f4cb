"""Many tests, one error rate: the more benchmarks, the more must each one show."""

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
