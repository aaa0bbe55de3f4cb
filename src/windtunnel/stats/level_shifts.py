"""The changes of level in series of values: found by change_points, each one weighed by change_evidence.

What the evidence does not carry is taken away, weakest first, and its neighbours are weighed anew: backward
elimination, as in Fryzlewicz, "Wild binary segmentation", Ann. Statist. 42, 2014, doi:10.1214/14-AOS1245.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from windtunnel.stats.change_evidence import REACH, Neighbourhood, Shift, weigh
from windtunnel.stats.change_points import BOUND, change_points
from windtunnel.stats.noise_scale import Vector, noise_scale, persistence

ROUNDS = 2
"""How often the penalty is raised for persistent noise; the estimate hardly moves after the second time."""
NOTABLE = 1.1
"""Persistence below this is not worth another search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesObservations:
    """A series: finite *values* in the order of commits, *weights* (1 a full point), and the least noise to expect."""

    values: Vector
    weights: Vector
    least_noise: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """What was found in a series; *noise* is the standard deviation of a point, *inflation* its persistence."""

    shifts: tuple[Shift, ...]
    noise: float
    inflation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standardised:
    values: Vector
    weights: Vector
    centre: float
    noise: float


def find_shifts(batch: Sequence[SeriesObservations]) -> tuple[Levels, ...]:
    """Return the changes of level in each series; one call with many series is far cheaper than many calls."""
    series = [_standardised(observations) for observations in batch]
    starts, inflation = _search(series)
    return tuple(
        _in_units(one, _supported(one, found, factor), factor)
        for one, found, factor in zip(series, starts, inflation, strict=True)
    )


def piecewise_medians(values: Vector, starts: Sequence[int]) -> Vector:
    """Return for each point the median of its segment."""
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
    """Return the starts of levels and the persistence of each series: the one is searched with the other."""
    inflation = [1.0] * len(series)
    starts = list(change_points([one.values for one in series], [one.weights for one in series], inflation))
    for _ in range(ROUNDS):
        seen = [
            persistence(one.values - piecewise_medians(one.values, found), BOUND)
            for one, found in zip(series, starts, strict=True)
        ]
        again = [i for i, factor in enumerate(seen) if factor > NOTABLE * inflation[i]]
        for i in again:
            inflation[i] = seen[i]
        fresh = change_points(
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
                weighed[triple] = weigh(_neighbourhood(one, triple, inflation))
        margins = [weighed[triple].margin for triple in triples]
        weakest = int(np.argmin(margins))
        if margins[weakest] >= 0:
            return tuple(weighed[triple] for triple in triples)
        del kept[weakest]
    return ()


def _neighbourhood(one: _Standardised, triple: tuple[int, int, int], inflation: float) -> Neighbourhood:
    left, position, right = triple
    left, right = max(left, position - REACH), min(right, position + REACH)
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
