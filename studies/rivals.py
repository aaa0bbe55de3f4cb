"""Other ways to find changes of level, each as ``values -> positions``; only ``compare_detectors.py`` needs them."""

import math

import numpy as np
import ruptures
from asv.step_detect import detect_steps
from otava.analysis import compute_change_points
from scipy.special import gammaln, logsumexp

from windtunnel.stats.level_shifts import SeriesObservations, find_shifts
from windtunnel.stats.special import noise_scale


def windtunnel(values):
    """What Windtunnel does."""
    (levels,) = find_shifts([SeriesObservations(values=values, weights=np.ones(len(values)), least_noise=0.001)])
    return [shift.position for shift in levels.shifts]


def asv(values):
    """asv's L1 Potts functional with its automatic penalty (asv.step_detect), on times as asv sees them."""
    return [left for left, *_ in detect_steps(list(np.exp(values)))[1:]]


def otava(values):
    """Apache Otava (Hunter): E-divisive in windows of 50 with t-tests at p < 0.001, its defaults."""
    return [point.index for point in compute_change_points(list(np.exp(values)))[0]]


def pelt_l2(values):
    """PELT (Killick 2012) with squared cost and BIC penalty, from ruptures."""
    penalty = 2 * math.log(len(values)) * noise_scale(values) ** 2
    return ruptures.Pelt(model="l2", min_size=3, jump=1).fit(values).predict(pen=penalty)[:-1]


def pelt_strict(values):
    """The same with a penalty of 15 variances, which is ours."""
    penalty = 15 * noise_scale(values) ** 2
    return ruptures.Pelt(model="l2", min_size=3, jump=1).fit(values).predict(pen=penalty)[:-1]


def kernel(values):
    """Kernel change points (Arlot, Celisse and Harchaoui 2019) with a Gaussian kernel, from ruptures.

    Its width (1.8 noise scales) and penalty were tuned here on other seeds, so it shows the method at its best.
    """
    gamma = 0.3 / (2 * noise_scale(values) ** 2)
    found = ruptures.KernelCPD(kernel="rbf", min_size=3, params={"gamma": gamma}).fit(values[:, None])
    return found.predict(pen=2.5)[:-1]


def ed_pelt(values):
    """ED-PELT (Haynes, Fearnhead and Eckley 2017, doi:10.1007/s11222-016-9687-5), written from the paper."""
    n = len(values)
    quantiles = min(n, math.ceil(4 * math.log(n)))
    shares = 1 / (1 + (2 * n - 1) ** (1 - (2 * np.arange(1, quantiles + 1) - 1) / quantiles))
    below = values[None, :] < np.quantile(values, shares)[:, None]
    at = values[None, :] == np.quantile(values, shares)[:, None]
    counts = np.concatenate([np.zeros((quantiles, 1)), np.cumsum(below + 0.5 * at, axis=1)], axis=1)
    weight = 2 * math.log(2 * n - 1) / quantiles
    best, last = np.full(n + 1, np.inf), np.zeros(n + 1, int)
    best[0] = -(penalty := 3 * math.log(n))
    starts = np.array([0])
    for end in range(3, n + 1):
        length = end - starts
        share = ((counts[:, end, None] - counts[:, starts]) / length).clip(1e-12, 1 - 1e-12)
        cost = best[starts] - weight * length * (share * np.log(share) + (1 - share) * np.log(1 - share)).sum(axis=0)
        best[end], last[end] = cost.min() + penalty, starts[cost.argmin()]
        starts = np.append(starts[cost <= best[end]], end - 2)
    return _path(last)


def bayesian_online(values):
    """Bayesian online detection (Adams and MacKay 2007, arXiv:0710.3742): normal values, a change in 250 points."""
    x = (values - np.median(values)) / noise_scale(values)
    mean, kappa, alpha, beta = (np.array([start]) for start in (0.0, 0.1, 5.0, 5.0))
    runs, hazard, path = np.array([0.0]), 1 / 250, []
    for value in x:
        scale = beta * (kappa + 1) / (alpha * kappa)
        predicted = (
            gammaln(alpha + 0.5) - gammaln(alpha) - 0.5 * np.log(2 * np.pi * alpha * scale)
            - (alpha + 0.5) * np.log1p((value - mean) ** 2 / (2 * alpha * scale))
        )  # fmt: skip
        grown = runs + predicted + math.log(1 - hazard)
        runs = np.append(logsumexp(runs + predicted + math.log(hazard)), grown)
        runs -= logsumexp(runs)
        path.append(int(runs.argmax()))
        beta = np.append(5.0, beta + kappa * (value - mean) ** 2 / (2 * (kappa + 1)))
        mean = np.append(0.0, (kappa * mean + value) / (kappa + 1))
        kappa, alpha = np.append(0.1, kappa + 1), np.append(5.0, alpha + 0.5)
    starts = {end + 1 - length for end, length in enumerate(path) if 3 <= length <= end}
    return sorted(starts)


def two_windows(values, lags=(3, 5, 8, 15), threshold=5.0):
    """Medians of the runs before and after each point, at several lags, against the scale of their own differences."""
    found = {}
    for lag in lags:
        medians = np.median(np.lib.stride_tricks.sliding_window_view(values, lag), axis=1)
        moves = np.abs(medians[lag:] - medians[:-lag])
        scale = np.median(moves) / 0.6745
        for index in np.flatnonzero(moves > threshold * scale):
            found[index + lag] = max(found.get(index + lag, 0), moves[index] / scale)
    peaks = []
    for position in sorted(found, key=found.get, reverse=True):
        if all(abs(position - peak) > max(lags) for peak in peaks):
            peaks.append(position)
    return sorted(peaks)


def _path(last):
    found, end = [], len(last) - 1
    while (start := int(last[end])) > 0:
        found.append(start)
        end = start
    return found[::-1]


ALL = (windtunnel, asv, otava, pelt_l2, pelt_strict, kernel, ed_pelt, bayesian_online, two_windows)
