"""Tails and quantiles of distributions, running medians, and the noise of a series whatever its level does.

Student's tail is an incomplete beta function: the continued fraction of DLMF 8.17.22 (https://dlmf.nist.gov/8.17#v) by
the method of Lentz, W. J. (1976), Generating Bessel functions in Mie scattering calculations,
doi:10.1364/AO.15.000668. The ratio of gamma functions in front of it is the series of Tricomi, F. G. and Erdélyi, A.
(1951), The asymptotic expansion of a ratio of gamma functions, doi:10.2140/pjm.1951.1.133.

The scale of noise is the median absolute deviation from a running median, divided by its value for a standard normal
distribution: Hampel, F. R. (1974), doi:10.1080/01621459.1974.10482962.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

CONVERGED = 1e-15
"""The last factor of the continued fraction differs from 1 by at most this."""
MAX_TERMS = 5000
"""Terms of the continued fraction; a million degrees of freedom need fewer than 100."""
TINY = 1e-300
"""Stands for zero in a denominator of Lentz's method."""
SERIES_FROM = 24
"""From here on, the terms of SERIES have full precision."""
SERIES = (
    1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304, 39325 / 33554432, -334477 / 2147483648,
)  # fmt: skip
"""gamma(z + 1/2) / gamma(z) / sqrt(z) in powers of 1/z."""
CLOSE = 1e-9
"""After a step of this relative size, Newton's method has the precision of the tail: it converges quadratically."""
MAX_STEPS = 60
"""Steps of Newton's method to a quantile; 5 are usual."""


def normal_tail(value: float) -> float:
    """Return the probability that a standard normal variable exceeds *value*."""
    return math.erfc(value / math.sqrt(2)) / 2


@lru_cache(maxsize=1 << 14)
def binomial_tail(least: int, trials: int, share: float) -> float:
    """Return the probability of *least* or more successes in *trials* (up to 1,000), each with probability *share*."""
    return math.fsum(
        math.comb(trials, count) * share**count * (1 - share) ** (trials - count) for count in range(least, trials + 1)
    )


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return I_x(a, b), the probability that a beta variable is at most *x* in (0, 1); *a* and *b* are positive."""
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    log_scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_scale) / a * _beta_fraction(a, b, x)


def upper_tail(value: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the probability that Student's t exceeds *value*. Shapes broadcast; NaN without degrees of freedom."""
    return _for_each(student_tail, value, freedom)


def upper_quantile(p: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the value that Student's t exceeds with probability *p*: infinite where *p* is zero. Shapes broadcast."""
    return _for_each(_quantile, p, freedom)


def student_tail(t: float, df: float) -> float:
    """Return the probability that Student's t with *df* degrees of freedom exceeds *t*.

    It is half of I_x(df/2, 1/2) with x = df / (df + t²)."""
    if math.isnan(t) or not df > 0:
        return math.nan
    if t < 0:
        return 1 - student_tail(-t, df)
    a, odds = df / 2, t * (t / df)
    if math.isinf(odds):
        return 0.0
    x, y = 1 / (1 + odds), odds / (1 + odds)
    power = math.exp(-a * math.log1p(odds)) * math.sqrt(y / math.pi) * _gamma_ratio(a)
    if x < (a + 1) / (a + 2.5):
        return power / a * _beta_fraction(a, 0.5, x) / 2
    return 0.5 - power * _beta_fraction(0.5, a, y)


def median(values: Floats) -> float:
    """Return the median of *values* (finite, at least one): that of NumPy in a tenth of the time for short series."""
    ordered = values.copy()
    ordered.sort()
    middle = len(ordered) // 2
    upper = float(ordered[middle])
    return upper if len(ordered) % 2 else (float(ordered[middle - 1]) + upper) / 2


def quantile(ordered: Floats, share: float) -> float:
    """Return the *share* quantile of *ordered* (ascending, at least one): that of NumPy by linear interpolation."""
    at = (len(ordered) - 1) * share
    below = int(at)
    low, high, rest = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)]), at - below
    return high - (high - low) * (1 - rest) if rest >= 0.5 else low + (high - low) * rest


def running_median(values: Floats, width: int) -> Floats:
    """Return the median of the *width* (odd) values around each one, of at least so many; the ends are mirrored."""
    half = width // 2
    mirrored = np.concatenate([values[:half][::-1], values, values[-half:][::-1]])
    windows = np.lib.stride_tricks.sliding_window_view(mirrored, width)
    return np.asarray(np.partition(windows, width // 2, axis=1)[:, width // 2])


def _for_each(function: Callable[[float, float], float], first: ArrayLike, second: ArrayLike) -> Floats:
    one, other = np.broadcast_arrays(np.asarray(first, dtype=float), np.asarray(second, dtype=float))
    return np.array([*map(function, one.ravel().tolist(), other.ravel().tolist())], dtype=float).reshape(one.shape)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of I_x(a, b), for *x* below (a + 1) / (a + b + 2)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or TINY)
    result = d
    for m in range(1, MAX_TERMS):
        n = a + 2 * m
        even = m * (b - m) * x / ((n - 1) * n)
        d, c = 1 / (1 + even * d or TINY), 1 + even / c or TINY
        result *= d * c
        odd = -(a + m) * (a + b + m) * x / (n * (n + 1))
        d, c = 1 / (1 + odd * d or TINY), 1 + odd / c or TINY
        result *= d * c
        if abs(d * c - 1) < CONVERGED:
            break
    return result


@lru_cache(maxsize=1 << 12)
def _gamma_ratio(a: float) -> float:
    """Return gamma(a + 1/2) / gamma(a): the series from SERIES_FROM on, and the recurrence of both functions below."""
    steps = max(0, SERIES_FROM - int(a))
    z = a + steps
    ratio = math.sqrt(z) * math.fsum(term / z**power for power, term in enumerate(SERIES))
    return ratio * math.prod((a + step) / (a + step + 0.5) for step in range(steps))


@lru_cache(maxsize=1 << 14)
def _quantile(p: float, df: float) -> float:
    """Return where the tail is *p*.

    Newton's method on the logarithms of the tail and of the value: there the tail is concave, so any start converges.
    """
    if math.isnan(p) or not df > 0 or p >= 1:
        return math.nan
    if p <= 0:
        return math.inf
    if p >= 0.5:
        return -_quantile(1 - p, df) if p > 0.5 else 0.0
    t, log_p = _first_quantile(p, df), math.log(p)
    log_scale = math.log(_gamma_ratio(df / 2) / math.sqrt(df * math.pi))
    for _ in range(MAX_STEPS):
        tail = student_tail(t, df)
        log_density = log_scale - (df + 1) / 2 * math.log1p(t * (t / df))
        step = (math.log(tail) - log_p) * math.exp(math.log(tail) - log_density) / t
        t *= math.exp(max(-50.0, min(50.0, step)))
        if abs(step) < CLOSE:
            break
    return t


def _first_quantile(p: float, df: float) -> float:
    """Return the quantile to a few per cent.

    That of the normal distribution is by Abramowitz, M. and Stegun, I. A. (1964), formula 26.2.23; from it follows
    Student's by Wallace, D. L. (1959), doi:10.1214/aoms/1177706093.
    """
    u = math.sqrt(-2 * math.log(p))
    z = u - (2.515517 + u * (0.802853 + u * 0.010328)) / (1 + u * (1.432788 + u * (0.189269 + u * 0.001308)))
    return math.sqrt(df * math.expm1(min(600.0, (z * (8 * df + 1) / (8 * df + 3)) ** 2 / df))) or TINY


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
