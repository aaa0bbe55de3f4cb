"""Estimate the noise of a series, however often its level changes.

The scale is the median absolute deviation from a running median, divided by its value for a standard normal
distribution: Hampel, F. R. (1974), doi:10.1080/01621459.1974.10482962.
"""

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.special import median, running_median

MEDIAN_OF_NORMAL = 0.6744897501960817
"""The median of |x| for a standard normal x: a median absolute deviation divided by it is a standard deviation."""

Vector = NDArray[np.float64]

FILTER_WIDTH = 15
"""The width of the running median: seven runs on each side."""

MEDIAN_OF_DIFFERENCES = MEDIAN_OF_NORMAL * 2**0.5
P90_OF_DIFFERENCES = 1.6448536269514722 * 2**0.5
MEDIAN_ABOUT_FILTER = MEDIAN_OF_NORMAL * 0.921
"""The median of |x - running median| for standard normal x, from 2,000 simulated series of 400."""
MIN_RESIDUALS = 8
"""The number of residuals from which their own scale is used."""


def noise_scale(values: Vector, floor: float = 0.0) -> float:
    """Return the standard deviation of the noise in *values* (finite), at least *floor*."""
    if len(values) < FILTER_WIDTH:
        scatter, of_normal = np.abs(np.diff(values)), MEDIAN_OF_DIFFERENCES
    else:
        scatter, of_normal = np.abs(values - running_median(values, FILTER_WIDTH)), MEDIAN_ABOUT_FILTER
    if not len(scatter):
        return floor
    scale = median(scatter) / of_normal
    if scale == 0:  # most values are equal: quantised, or constant
        scale = float(np.quantile(np.abs(np.diff(values)), 0.9, method="lower")) / P90_OF_DIFFERENCES
    return max(scale, floor)


def residual_scale(residuals: Vector, fallback: float) -> float:
    """Return the standard deviation of *residuals* about zero by their median size; *fallback* if they are too few."""
    if len(residuals) < MIN_RESIDUALS:
        return fallback
    return median(np.abs(residuals)) / MEDIAN_OF_NORMAL


def persistence(residuals: Vector, bound: float) -> float:
    """Return the factor by which correlated neighbours increase the variance of a mean: (1 + r) / (1 - r), 1 to 19.

    *r* is the lag-one correlation of the residuals, clipped at *bound*, less twice its standard error under
    independence, so that independent noise keeps the factor 1: Bartlett, M. S. (1946), On the theoretical specification
    and sampling properties of autocorrelated time-series, doi:10.2307/2983611.
    """
    clipped = np.minimum(np.maximum(residuals, -bound), bound)
    power = float(clipped @ clipped)
    if len(clipped) < MIN_RESIDUALS or power == 0:
        return 1.0
    correlation = float(clipped[:-1] @ clipped[1:]) / power - 2 / len(clipped) ** 0.5
    correlation = min(max(correlation, 0.0), 0.9)
    return float((1 + correlation) / (1 - correlation))
