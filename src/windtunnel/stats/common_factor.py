"""Estimate the factor that all series of a run share, for example a slow machine during that run.

A one-factor model on logarithms: residual of a series in a run = loading of the series x factor of the run + noise.
Medians fit factor and loadings alternately, so no minority of series decides: robust singular value decomposition,
Hawkins, D. M., Liu, L. and Young, S. S. (2001), NISS technical report 122. A factor that lasts is a change of level,
so it stays in the series.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.change_points import Matrix
from windtunnel.stats.level_shifts import SeriesObservations, find_shifts, piecewise_medians
from windtunnel.stats.special import MEDIAN_OF_NORMAL, MIN_RESIDUALS, Vector, median, noise_scale

MIN_SERIES = 5
"""Series that a run needs for a common factor."""

MIN_STANDARD_ERRORS = 3.0
"""Standard errors by which a factor has to differ from zero."""

MIN_AGREEMENT = 0.75
"""The share, by weight, of series that have to move in the same direction."""

MIN_FACTOR = 0.01
"""The smallest factor that is corrected; correcting a smaller one would add more noise."""

MIN_FACTOR_FOR_LOADINGS = 0.03
"""The smallest factor of runs from which loadings are estimated; it exceeds most noise."""

MIN_FACTOR_NOISE = 0.005
"""The smallest standard deviation assumed for the factor itself."""

FIT_ROUNDS = 4
"""How often factor and loadings are fitted; they converge after two or three times."""

MIN_LOADING = 0.3
"""The smallest loading of a series that depends on the machine; waiting, input and output depend less."""

MAX_LOADING_ERROR = 0.5
"""The largest relative error of the loading of a series that follows the factor."""

DEFAULT_LOADING_ERROR = 0.3
"""The error of a loading before MIN_RESIDUALS runs have shown it."""

MIN_LOADING_ERROR = 0.1
"""The smallest error of a loading after MIN_RESIDUALS runs have shown it."""

MAX_REMAINING_SHARE = 0.5
"""The largest share of the median residual of the affected runs that may remain after a useful correction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """How to correct the logarithms of one series."""

    subtract: Vector
    weights: Vector
    """The weights of the corrected points."""


def fit_common_factor(residuals: Matrix) -> tuple[Vector, Vector]:
    """Return the common factor of each run, as a logarithm: the part that is limited to some runs, and a lasting one.

    *residuals* has the shape (series, runs), NaN where not measured.
    """
    factor = np.zeros(residuals.shape[1])
    lasting = np.zeros(residuals.shape[1])
    enough = np.flatnonzero(np.isfinite(residuals).sum(axis=0) >= MIN_SERIES)
    if len(enough):
        known = residuals[:, enough]
        weights = np.isfinite(known).sum(axis=1).astype(float)  # a series of few runs has an uncertain level
        fitted, ratios = _fit(known, weights)
        large = np.flatnonzero(fitted)
        clear = large[_is_clear(fitted[large], ratios[:, large], weights)]
        factor[enough[clear]] = fitted[clear]
        if len(clear):
            lasting[enough] = _lasting(factor[enough])
    return np.where(factor == 0, 0, factor - lasting), lasting


def reference_factor(values: Matrix) -> Vector:
    """Return the factor of each run by reference benchmarks, which only the machine makes slower.

    *values* are logarithms, shape (references, runs), each minus its own median. The references need not agree, and
    the factor may last.
    """
    factor = weighted_medians(values, np.ones(len(values)))
    least = max(MIN_FACTOR, MIN_STANDARD_ERRORS * noise_scale(factor))
    return np.where(np.abs(factor) > least, factor, 0.0)


def compute_correction(residuals: Vector, factor: Vector, noise: float) -> Correction:
    """Return the correction of one series; its loading is 1 until enough runs show another.

    The weight of a corrected point decreases with the factor and with the error of the loading. If a correction is not
    useful, the values stay, and the affected points get a low weight.
    """
    affected = np.abs(factor) > max(MIN_FACTOR, noise)
    nothing = np.zeros_like(factor)
    if not affected.any():
        return Correction(subtract=nothing, weights=np.ones_like(factor))
    loading, error = _loading(residuals[affected] / factor[affected])
    before = median(np.abs(residuals[affected]))
    left = median(np.abs(residuals - loading * factor)[affected])
    helps, moved = left <= MAX_REMAINING_SHARE * before, before > 2 * noise
    error = error if helps else float(moved)
    weights = np.where(affected, 1 / (1 + (error * factor / noise) ** 2), 1.0)
    return Correction(subtract=np.where(affected, loading * factor, 0) if helps else nothing, weights=weights)


def weighted_medians(values: Matrix, weights: Vector, least: float = 0.0) -> Vector:
    """Return the median of each column with a weight for each row; NaN has no weight; 0 for a column without weight.

    Medians of at most *least* in size are 0 too: sums of weights show which columns have a larger one, and only these
    are sorted.
    """
    there = np.isfinite(values)
    total = _weight(there, weights)
    is_above = 2 * _weight(there & (values <= least), weights) < total
    is_below = 2 * _weight(there & (values < -least), weights) >= total
    large = np.flatnonzero((is_above | is_below) & (total > 0))
    some = values[:, large]
    order = np.argsort(np.where(there[:, large], some, np.inf), axis=0)
    ranked = np.take_along_axis(np.where(there[:, large], weights[:, None], 0), order, axis=0).cumsum(axis=0)
    place = (2 * ranked >= ranked[-1]).argmax(axis=0)
    medians = np.zeros(values.shape[1])
    medians[large] = np.take_along_axis(some, np.take_along_axis(order, place[None], axis=0), axis=0)[0]
    return medians


def _weight(rows: NDArray[np.bool_], weights: Vector) -> Vector:
    """Return the sum of the weights of the *rows* of each column, without BLAS, whose threads wait at full load."""
    return np.asarray(np.einsum("i,ij->j", weights, rows))


def _fit(known: Matrix, weights: Vector) -> tuple[Vector, Matrix]:
    """Return the factor of each run, 0 where it is at most MIN_FACTOR, and the estimate of it by each series.

    Estimates are residuals divided by loadings; NaN for no estimate.
    """
    factor, ratios = weighted_medians(known, weights, MIN_FACTOR), known
    for _ in range(FIT_ROUNDS):
        known_runs = np.abs(factor) > MIN_FACTOR_FOR_LOADINGS
        if np.count_nonzero(known_runs) < MIN_RESIDUALS:
            return factor, ratios
        loadings = [_loading(row[np.isfinite(row)]) for row in known[:, known_runs] / factor[known_runs]]
        following = np.array(
            [loading > MIN_LOADING and error < MAX_LOADING_ERROR * loading for loading, error in loadings]
        )
        if np.count_nonzero(following) < MIN_SERIES:
            return factor, ratios
        ratios = known / np.array([loading for loading, _ in loadings])[:, None].clip(MIN_LOADING)
        ratios[~following] = np.nan
        factor = weighted_medians(ratios, weights, MIN_FACTOR)
    return factor, ratios


def _loading(ratios: Vector) -> tuple[float, float]:
    """Return the loading that the ratios of residual to factor show, and its error."""
    if len(ratios) < MIN_RESIDUALS:
        return 1.0, DEFAULT_LOADING_ERROR
    loading = median(ratios)
    return loading, max(MIN_LOADING_ERROR, median(np.abs(ratios - loading)) / MEDIAN_OF_NORMAL)


def _is_clear(factor: Vector, ratios: Matrix, weights: Vector) -> NDArray[np.bool_]:
    """Return for each run whether enough series agree on its *factor*."""
    there = np.isfinite(ratios)
    heavy = np.where(there, weights[:, None], 0)
    total = np.maximum(heavy.sum(axis=0), 1e-9)
    spread = weighted_medians(np.abs(ratios - factor), weights) / MEDIAN_OF_NORMAL
    error = spread * (np.pi / 2 * (heavy**2).sum(axis=0)) ** 0.5 / total  # of a median of normal values
    agreeing = (heavy * (np.sign(ratios) == np.sign(factor))).sum(axis=0) / total
    enough = there.sum(axis=0) >= MIN_SERIES
    clear: NDArray[np.bool_] = enough & (np.abs(factor) > MIN_STANDARD_ERRORS * error) & (agreeing >= MIN_AGREEMENT)
    return clear


def _lasting(factor: Vector) -> Vector:
    """Return the level of the factor; zero if it does not change."""
    ones = np.ones(len(factor))
    (levels,) = find_shifts([SeriesObservations(values=factor, weights=ones, least_noise=MIN_FACTOR_NOISE)])
    if not levels.shifts:
        return np.zeros(len(factor))
    return piecewise_medians(factor, [shift.position for shift in levels.shifts])
