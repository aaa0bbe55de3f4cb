"""Histories with a known truth: logarithms of times, as change detection sees them."""

import numpy as np

NOISE = 0.022
"""The median scatter of real histories on hosted runners."""


def histories(seed, *, count, points=200, step=0.0, after=0, tails=False):
    """Return *count* series of log-normal noise; the last *after* points are *step* (0.1: 10 %) higher.

    With *tails*, 5 % of the runs take longer by a factor of exp|N(0, 0.3)|.
    """
    rng = np.random.default_rng(seed)
    values = rng.normal(0, NOISE, (count, points))
    if tails:
        values += np.where(rng.random(values.shape) < 0.05, np.abs(rng.normal(0, 0.3, values.shape)), 0)
    if after:
        values[:, -after:] += np.log1p(step)
    return values
