"""What all series of a run have in common: a slow machine behind a good name, for the length of that run.

A one-factor model on logarithms, fitted by medians in turns, so that no minority of series decides: residual of a
series in a run = loading of the series x factor of the run + noise (robust singular value decomposition; Hawkins, Liu
and Young, NISS technical report 122, 2001). A factor that lasts is a change of level and is left to the series.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.change_points import Matrix
from windtunnel.stats.level_shifts import SeriesObservations, find_shifts, piecewise_medians
from windtunnel.stats.noise_scale import FEW, MEDIAN_OF_NORMAL, Vector, noise_scale

LEAST_SERIES = 5
"""Fewer series in a run have nothing that could be called common."""
CLEARLY = 3.0
"""Standard errors by which a factor must differ from zero."""
AGREEMENT = 0.75
"""The weight of series that must move the same way."""
LEAST_FACTOR = 0.01
"""A common factor below 1 % is not worth the noise that correcting for it would add."""
TELLING_FACTOR = 0.03
"""Runs from which loadings are learnt: 3 % stand out of most noise."""
FACTOR_NOISE = 0.005
"""The least noise expected of the factor itself."""
ROUNDS = 4
"""Turns of factor and loadings; they settle after two or three."""
LEAST_LOADING = 0.3
"""A series that follows less than this (waiting, input and output) says nothing of the machine."""
MOST_DOUBT = 0.5
"""A series whose loading scatters by more than this share of itself follows something else."""
UNKNOWN_DOUBT = 0.3
LEAST_DOUBT = 0.1
"""How uncertain a loading is before and after FEW runs have shown it, as a share of the factor."""
WORTH_IT = 0.5
"""A correction that does not halve the typical residual of the affected runs is not made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonFactor:
    """The factor of each run as a logarithm: the part that passes, and the part that lasts."""

    passing: Vector
    lasting: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What to subtract from the logarithms of a series, and what its points are worth then."""

    subtract: Vector
    weights: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fit:
    factor: Vector
    ratios: Matrix
    """Residuals over loadings: what each series says the factor is; NaN where it says nothing."""


def common_factor(residuals: Matrix) -> CommonFactor:
    """Return what the series have in common in each run; *residuals* is series x runs, NaN where not measured."""
    factor = np.zeros(residuals.shape[1])
    lasting = np.zeros(residuals.shape[1])
    enough = np.flatnonzero(np.isfinite(residuals).sum(axis=0) >= LEAST_SERIES)
    if len(enough):
        known = residuals[:, enough]
        weights = np.isfinite(known).sum(axis=1).astype(float)  # a series of few runs does not know its level yet
        fit = _fit(known, weights)
        factor[enough] = np.where(_is_clear(fit, weights), fit.factor, 0)
        lasting[enough] = _lasting(factor[enough])
    return CommonFactor(passing=np.where(factor == 0, 0, factor - lasting), lasting=lasting)


def reference_factor(values: Matrix) -> Vector:
    """Return the factor of each run that reference work tells, work that only the machine can make slower.

    *values* are logarithms, references x runs, each less its own median. Nobody has to agree, and it may last.
    """
    factor = weighted_medians(values, np.ones(len(values)))
    least = max(LEAST_FACTOR, CLEARLY * noise_scale(factor))
    return np.where(np.abs(factor) > least, factor, 0.0)


def correction(residuals: Vector, factor: Vector, noise: float) -> Correction:
    """Return how to correct one series; its loading is 1 until enough runs tell it better.

    The larger the factor and the less certain the loading, the less a corrected point is worth. Where a correction
    does not help, the values stay, and the affected points are worth little.
    """
    affected = np.abs(factor) > max(LEAST_FACTOR, noise)
    nothing = np.zeros_like(factor)
    if not affected.any():
        return Correction(subtract=nothing, weights=np.ones_like(factor))
    loading, doubt = _loading(residuals[affected] / factor[affected])
    before = float(np.median(np.abs(residuals[affected])))
    left = float(np.median(np.abs(residuals - loading * factor)[affected]))
    helps, moved = left <= WORTH_IT * before, before > 2 * noise
    doubt = doubt if helps else float(moved)
    weights = np.where(affected, 1 / (1 + (doubt * factor / noise) ** 2), 1.0)
    return Correction(subtract=np.where(affected, loading * factor, 0) if helps else nothing, weights=weights)


def weighted_medians(values: Matrix, weights: Vector) -> Vector:
    """Return the median of each column with a weight for each row; NaN weighs nothing; 0 where nothing weighs."""
    there = np.isfinite(values)
    order = np.argsort(np.where(there, values, np.inf), axis=0)
    ranked = np.take_along_axis(np.where(there, weights[:, None], 0), order, axis=0).cumsum(axis=0)
    place = (2 * ranked >= ranked[-1]).argmax(axis=0)
    chosen = np.take_along_axis(values, np.take_along_axis(order, place[None], axis=0), axis=0)[0]
    return np.where(ranked[-1] > 0, chosen, 0.0)


def _fit(known: Matrix, weights: Vector) -> _Fit:
    fit = _Fit(factor=weighted_medians(known, weights), ratios=known)
    for _ in range(ROUNDS):
        telling = np.abs(fit.factor) > TELLING_FACTOR
        if np.count_nonzero(telling) < FEW:
            return fit
        loadings = [_loading(row[np.isfinite(row)]) for row in known[:, telling] / fit.factor[telling]]
        following = np.array([loading > LEAST_LOADING and doubt < MOST_DOUBT * loading for loading, doubt in loadings])
        if np.count_nonzero(following) < LEAST_SERIES:
            return fit
        ratios = known / np.array([loading for loading, _ in loadings])[:, None].clip(LEAST_LOADING)
        ratios[~following] = np.nan
        fit = _Fit(factor=weighted_medians(ratios, weights), ratios=ratios)
    return fit


def _loading(ratios: Vector) -> tuple[float, float]:
    """Return the loading that ratios of residual to factor show, and its doubt."""
    if len(ratios) < FEW:
        return 1.0, UNKNOWN_DOUBT
    loading = float(np.median(ratios))
    return loading, max(LEAST_DOUBT, float(np.median(np.abs(ratios - loading))) / MEDIAN_OF_NORMAL)


def _is_clear(fit: _Fit, weights: Vector) -> NDArray[np.bool_]:
    """Tell for each run whether enough series agree on a factor that is worth anything."""
    there = np.isfinite(fit.ratios)
    heavy = np.where(there, weights[:, None], 0)
    total = np.maximum(heavy.sum(axis=0), 1e-9)
    spread = weighted_medians(np.abs(fit.ratios - fit.factor), weights) / MEDIAN_OF_NORMAL
    error = spread * (np.pi / 2 * (heavy**2).sum(axis=0)) ** 0.5 / total  # of a median of normal values
    agreeing = (heavy * (np.sign(fit.ratios) == np.sign(fit.factor))).sum(axis=0) / total
    size = np.abs(fit.factor)
    enough = there.sum(axis=0) >= LEAST_SERIES
    clear: NDArray[np.bool_] = enough & (size > CLEARLY * error) & (size > LEAST_FACTOR) & (agreeing >= AGREEMENT)
    return clear


def _lasting(factor: Vector) -> Vector:
    """Return the level of the factor, zero unless it changes."""
    ones = np.ones(len(factor))
    (levels,) = find_shifts([SeriesObservations(values=factor, weights=ones, least_noise=FACTOR_NOISE)])
    if not levels.shifts:
        return np.zeros(len(factor))
    return piecewise_medians(factor, [shift.position for shift in levels.shifts])
