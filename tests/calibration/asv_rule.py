"""asv's own verdict, many cases at once: Mann-Whitney p < 0.002, and a ratio of medians above a factor."""

from functools import cache

import numpy as np
from asv import _stats

P_THRESHOLD = 0.002


@cache
def rejecting(size):
    """Return for each possible U of *size* against *size* values, without ties, whether asv calls them different."""
    smaller = [min(u, size * size - u) for u in range(size * size + 1)]
    return np.array([_p(size, u) < P_THRESHOLD for u in smaller])


@cache
def _p(size, u):
    if size > 20:
        _, p = _stats.mann_whitney_u(*samples_with(size, u))
        return p
    cdf = _stats.mann_whitney_u_cdf(size, size, u)
    return cdf + 1 - _stats.mann_whitney_u_cdf(size, size, max(size * size // 2, size * size - u - 1))


def samples_with(size, u):
    """Return two sets of *size* values whose U is *u*, without ties."""
    below = list(range(size))
    full, rest = divmod(u, size)
    above = [size + index for index in range(size)]
    for index in range(full):
        above[index] = -size + index
    if rest:
        above[full] = size - rest - 0.5
    return below, above


def different(before, after):
    """Return whether asv's test finds a difference between the samples; shape (cases, values) each, without ties."""
    size = before.shape[1]
    ranks = np.concatenate([before, after], axis=1).argsort(axis=1).argsort(axis=1)
    u = ranks[:, size:].sum(axis=1) - size * (size - 1) // 2
    return rejecting(size)[u]


def alarms(before, after, factors):
    """Return whether asv calls each case worse or better, by factor; logarithms, shape (cases, values) each."""
    ratio = np.median(after, axis=1) - np.median(before, axis=1)
    return different(before, after) & (np.abs(ratio) > np.log(factors)[:, None])
