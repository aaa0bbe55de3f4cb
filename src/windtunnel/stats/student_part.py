"""Student's distribution (1908, doi:10.1093/biomet/6.1.1).

By `scipy.special`: the same digits as `scipy.stats.t`, whose import takes a second that every command would pay.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

Floats = NDArray[np.float64]


def upper_quantile(p: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the value that is exceeded with probability *p*, infinite where *p* is zero."""
    return np.asarray(np.where(np.asarray(p) > 0, -stdtrit(freedom, p), np.inf), dtype=float)


def upper_tail(value: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the chance of exceeding *value*."""
    return np.asarray(stdtr(freedom, -np.asarray(value, dtype=float)), dtype=float)
