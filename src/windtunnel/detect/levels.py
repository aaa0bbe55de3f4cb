"""The levels of series, corrected for slow machines where many series of a run say so."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from windtunnel.detect.series import Series, SeriesTarget, ValueScale, scale_of
from windtunnel.stats.common_factor import Correction, common_factor, correction, reference_factor
from windtunnel.stats.level_shifts import Levels, SeriesObservations, find_shifts, piecewise_medians
from windtunnel.stats.noise_scale import Vector

FEWEST_POINTS = 6
"""Below this nothing can be told from noise: three runs on either side."""
MOST_VOICES = 400
"""Series that are asked what a run's factor is: those with the most points; more would not tell it better."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesLevels:
    """A series on its scale and the levels found in it; *values* are corrected for slow machines."""

    series: Series
    scale: ValueScale
    values: Vector
    weights: Vector
    levels: Levels

    @property
    def starts(self) -> tuple[int, ...]:
        """Where levels begin, as indices of points, without the first."""
        return tuple(shift.position for shift in self.levels.shifts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Factor:
    """What the runs of a place have in common, by position in the history; *certain* when references say it."""

    positions: NDArray[np.int64]
    passing: Vector
    certain: bool

    def at(self, positions: NDArray[np.int64]) -> Vector:
        return self.passing[np.searchsorted(self.positions, positions)]


def find_levels(series: Iterable[Series], references: Sequence[re.Pattern[str]] = ()) -> tuple[SeriesLevels, ...]:
    """Return the levels of each series that has enough points, in the same order.

    *references* name benchmarks that only the machine can change; where they were measured, they tell its factor.
    """
    first = _searched([_uncorrected(one) for one in series if len(one.positions) >= FEWEST_POINTS])
    result = list(first)
    for group in _by_place(first):
        members = [first[index] for index in group]
        factor = _machine_factor(members, references)
        fixes = [_fix(member, factor) for member in members]
        wanted = [k for k, fix in enumerate(fixes) if (fix.weights < 1).any() or fix.subtract.any()]
        again = _searched([_corrected(members[k], fixes[k]) for k in wanted])
        for k, found in zip(wanted, again, strict=True):
            result[group[k]] = found
    return tuple(result)


def residuals(one: SeriesLevels) -> Vector:
    """Return how far each point is from its level."""
    return one.values - piecewise_medians(one.values, one.starts)


def _uncorrected(series: Series) -> SeriesLevels:
    scale = scale_of(series.values)
    nothing = Levels(shifts=(), noise=scale.least_noise, inflation=1.0)
    return SeriesLevels(
        series=series, scale=scale, values=scale.there(series.values), weights=series.weights, levels=nothing
    )


def _corrected(one: SeriesLevels, fix: Correction) -> SeriesLevels:
    return replace(one, values=one.values - fix.subtract, weights=one.weights * fix.weights)


def _searched(batch: Sequence[SeriesLevels]) -> tuple[SeriesLevels, ...]:
    observations = [
        SeriesObservations(values=one.values, weights=one.weights, least_noise=one.scale.least_noise) for one in batch
    ]
    return tuple(replace(one, levels=found) for one, found in zip(batch, find_shifts(observations), strict=True))


def _by_place(found: Sequence[SeriesLevels]) -> list[list[int]]:
    """Return the indices of the series at each place that a slow machine slows: times, none of them zero."""
    groups: dict[SeriesTarget, list[int]] = defaultdict(list)
    for index, one in enumerate(found):
        if one.series.is_time and one.scale.logarithmic:
            groups[one.series.key.target].append(index)
    return list(groups.values())


def _machine_factor(members: Sequence[SeriesLevels], references: Sequence[re.Pattern[str]]) -> _Factor:
    positions = np.unique(np.concatenate([one.series.positions for one in members]))
    known = [one for one in members if any(pattern.search(one.series.key.benchmark) for pattern in references)]
    if known:
        table = _table(known, [one.values - np.median(one.values) for one in known], positions)
        return _Factor(positions=positions, passing=reference_factor(table), certain=True)
    voices = sorted(members, key=lambda one: -len(one.values))[:MOST_VOICES]
    table = _table(voices, [residuals(one) for one in voices], positions)
    return _Factor(positions=positions, passing=common_factor(table).passing, certain=False)


def _table(voices: Sequence[SeriesLevels], rows: Sequence[Vector], positions: NDArray[np.int64]) -> Vector:
    table = np.full((len(voices), len(positions)), np.nan)
    for row, one, values in zip(table, voices, rows, strict=True):
        row[np.searchsorted(positions, one.series.positions)] = values
    return table


def _fix(one: SeriesLevels, factor: _Factor) -> Correction:
    here = factor.at(one.series.positions)
    if factor.certain:
        return Correction(subtract=here, weights=np.ones_like(here))
    return correction(residuals(one), here, one.levels.noise)
