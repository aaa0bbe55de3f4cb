"""Find the changes of level in series of values, and keep those with enough evidence.

`windtunnel.stats.change_points` finds them, and `windtunnel.stats.change_evidence` weighs each. The weakest change
without enough evidence is removed, and its neighbours are weighed again: backward elimination, as in Fryzlewicz, P.
(2014), Wild binary segmentation for multiple change-point detection, doi:10.1214/14-AOS1245.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from windtunnel.stats.change_evidence import MAX_NEIGHBOURS, Neighbourhood, Shift, weigh_evidence
from windtunnel.stats.change_points import OUTLIER_BOUND, find_change_points
from windtunnel.stats.noise_scale import Vector, noise_scale, persistence

SEARCH_ROUNDS = 2
"""How often the penalty is adapted to persistent noise; the estimate hardly changes after the second time."""
MIN_PERSISTENCE = 1.1
"""Persistence below which no other search is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesObservations:
    """One series."""

    values: Vector
    """Finite values in the order of the commits."""
    weights: Vector
    """1 for a full point, less for a noisier one."""
    least_noise: float
    """The smallest standard deviation to assume, in the unit of the values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The changes of level of one series."""

    shifts: tuple[Shift, ...]
    noise: float
    """The standard deviation of a point, in the unit of the values."""
    inflation: float
    """The factor by which persistent noise increases the variance of a mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standardised:
    values: Vector
    weights: Vector
    centre: float
    noise: float


def find_shifts(batch: Sequence[SeriesObservations]) -> tuple[Levels, ...]:
    """Return the changes of level of each series; one call for many series costs less than many calls."""
    series = [_standardised(observations) for observations in batch]
    starts, inflation = _search(series)
    return tuple(
        _in_units(one, _supported(one, found, factor), factor)
        for one, found, factor in zip(series, starts, inflation, strict=True)
    )


def piecewise_medians(values: Vector, starts: Sequence[int]) -> Vector:
    """Return the median of the segment of each point; segments begin at 0 and at *starts*."""
    levels = np.empty_like(values)
    for start, end in pairwise((0, *starts, len(values))):
        levels[start:end] = np.median(values[start:end]) if end > start else 0.0
    return levels


def _standardised(observations: SeriesObservations) -> _Standardised:
    values = observations.values
    noise = noise_scale(values, observations.least_noise)
    centre = float(np.median(values)) if len(values) else 0.0
    return _Standardised(values=(values - centre) / noise, weights=observations.weights, centre=centre, noise=noise)


def _search(series: Sequence[_Standardised]) -> tuple[list[tuple[int, ...]], list[float]]:
    """Return the starts of the levels and the persistence of each series; each is estimated with the other."""
    inflation = [1.0] * len(series)
    starts = list(find_change_points([one.values for one in series], [one.weights for one in series], inflation))
    for _ in range(SEARCH_ROUNDS):
        seen = [
            persistence(one.values - piecewise_medians(one.values, found), OUTLIER_BOUND)
            for one, found in zip(series, starts, strict=True)
        ]
        again = [i for i, factor in enumerate(seen) if factor > MIN_PERSISTENCE * inflation[i]]
        for i in again:
            inflation[i] = seen[i]
        fresh = find_change_points(
            [series[i].values for i in again], [series[i].weights for i in again], [inflation[i] for i in again]
        )
        for i, found in zip(again, fresh, strict=True):
            starts[i] = found
    return starts, inflation


def _supported(one: _Standardised, starts: tuple[int, ...], inflation: float) -> tuple[Shift, ...]:
    kept, weighed = list(starts), dict[tuple[int, int, int], Shift]()
    while kept:
        edges = [0, *kept, len(one.values)]
        triples = list(zip(edges, kept, edges[2:], strict=False))
        for triple in triples:
            if triple not in weighed:
                weighed[triple] = weigh_evidence(_neighbourhood(one, triple, inflation))
        margins = [weighed[triple].margin for triple in triples]
        weakest = int(np.argmin(margins))
        if margins[weakest] >= 0:
            return tuple(weighed[triple] for triple in triples)
        del kept[weakest]
    return ()


def _neighbourhood(one: _Standardised, triple: tuple[int, int, int], inflation: float) -> Neighbourhood:
    left, position, right = triple
    left, right = max(left, position - MAX_NEIGHBOURS), min(right, position + MAX_NEIGHBOURS)
    return Neighbourhood(
        values=one.values[left:right],
        weights=one.weights[left:right],
        split=position - left,
        offset=left,
        length=len(one.values),
        inflation=inflation,
    )


def _in_units(one: _Standardised, shifts: tuple[Shift, ...], inflation: float) -> Levels:
    return Levels(
        shifts=tuple(
            replace(
                shift,
                before=one.centre + one.noise * shift.before,
                after=one.centre + one.noise * shift.after,
                error=one.noise * shift.error,
            )
            for shift in shifts
        ),
        noise=one.noise,
        inflation=inflation,
    )
