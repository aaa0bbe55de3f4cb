"""Finds the levels of series, corrected for slow machines where many series of a run show the same factor."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from windtunnel.detect.series import Series, SeriesTarget, ValueScale, find_scale
from windtunnel.stats.change_points import Matrix
from windtunnel.stats.common_factor import Correction, compute_correction, fit_common_factor, reference_factor
from windtunnel.stats.level_shifts import KnownLevels, Levels, SeriesObservations, piecewise_medians
from windtunnel.stats.special import Vector

MIN_POINTS = 6
"""Values that a series needs: three on either side of a change."""
MAX_FACTOR_SERIES = 400
"""How many series determine a run's factor, those with the most values; more do not improve the estimate."""
MAX_COUNTERS = 50
"""Counters whose levels are aligned in a series; more are nonsense, and would take long."""
MEDIAN_VARIANCE = np.pi / 2
"""Asymptotic variance of the median of normal values, relative to their mean's (van der Vaart, Asymptotic Statistics,
1998, chapter 21)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesLevels:
    """A series on its scale, and the levels found in it."""

    series: Series
    scale: ValueScale
    values: Vector
    """The values on the scale, corrected for slow machines."""
    weights: Vector
    levels: Levels

    @property
    def starts(self) -> tuple[int, ...]:
        """The indices of the values at which levels begin, without the first."""
        return tuple(shift.position for shift in self.levels.shifts)

    @property
    def shows_machine(self) -> bool:
        """Whether a slow machine multiplies the values: times, none of them zero."""
        return self.series.is_time and self.scale.logarithmic


def find_levels(
    series: Iterable[Series], references: Sequence[re.Pattern[str]] = (), known: KnownLevels | None = None
) -> tuple[SeriesLevels, ...]:
    """Return the levels of each series that has enough values, in the same order.

    *references* name benchmarks that only the machine can change. Where these were measured, they alone determine the
    machine's factor. Series whose levels are *known* are not searched.
    """
    known = known or KnownLevels()
    result = list(_search([_uncorrected(one) for one in series if len(one.positions) >= MIN_POINTS], known))
    for group in _by_target(result):
        members = [result[index] for index in group]
        corrections = _corrections(members, references)
        searched = _search([_corrected(members[k], fix) for k, fix in corrections.items()], known)
        for k, found in zip(corrections, searched, strict=True):
            result[group[k]] = found
    return tuple(result)


def build_table(
    series: Sequence[SeriesLevels], rows: Sequence[Vector], positions: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], Matrix]:
    """Return the positions of all *series*, and a table (series x positions) of *rows*; NaN where not measured."""
    if positions is None:
        positions = _all_positions(series)
    column = np.zeros(positions.max(initial=-1) + 1, np.int64)
    column[positions] = np.arange(len(positions))
    table = np.full((len(series), len(positions)), np.nan)
    for row, one, values in zip(table, series, rows, strict=True):
        row[column[one.series.positions]] = values
    return positions, table


def _all_positions(series: Sequence[SeriesLevels]) -> NDArray[np.int64]:
    """Return the positions at which one of *series* was measured, ascending."""
    is_measured = np.zeros(1 + max((int(one.series.positions[-1]) for one in series), default=-1), bool)
    for one in series:
        is_measured[one.series.positions] = True
    return np.flatnonzero(is_measured)


def _uncorrected(series: Series) -> SeriesLevels:
    scale = find_scale(series.values)
    nothing = Levels(shifts=(), noise=scale.min_noise, inflation=1.0)
    values = align_counters(scale.to_scale(series.values), series.counted_with)
    return SeriesLevels(series=series, scale=scale, values=values, weights=series.weights, levels=nothing)


def align_counters(values: Vector, counted_with: Sequence[str]) -> Vector:
    """Return *values* with the levels of all counters at that of the newest one; *counted_with* names that of each.

    Another Python or valgrind executes other instructions for the same code. The difference between two counters is
    the median over the neighbouring values at which one follows the other, so it contains what a commit changed right
    there. That is not found in counts, only in times.
    """
    counters = list(counted_with)
    if not 2 <= len(set(counters)) <= MAX_COUNTERS:
        return values
    aligned, rest = values.copy(), set(counters) - {counters[-1]}
    while rest:
        pairs = [pair for at in range(1, len(counters)) for pair in ((at - 1, at), (at, at - 1))]
        known = [(one, other) for one, other in pairs if counters[one] in rest and counters[other] not in rest]
        counter = counters[known[-1][0]]
        shift = float(np.median([aligned[other] - aligned[one] for one, other in known if counters[one] == counter]))
        aligned[[each == counter for each in counters]] += shift
        rest.remove(counter)
    return aligned


def _corrected(one: SeriesLevels, fix: Correction) -> SeriesLevels:
    return replace(one, values=one.values - fix.subtract, weights=one.weights * fix.weights)


def _search(batch: Sequence[SeriesLevels], known: KnownLevels) -> tuple[SeriesLevels, ...]:
    observations = [
        SeriesObservations(values=one.values, weights=one.weights, least_noise=one.scale.min_noise) for one in batch
    ]
    return tuple(replace(one, levels=found) for one, found in zip(batch, known.find_shifts(observations), strict=True))


def _by_target(found: Sequence[SeriesLevels]) -> list[list[int]]:
    """Return, for each target, the indices of the series that show the machine's speed."""
    groups: dict[SeriesTarget, list[int]] = defaultdict(list)
    for index, one in enumerate(found):
        if one.shows_machine:
            groups[one.series.key.target].append(index)
    return list(groups.values())


def _corrections(members: Sequence[SeriesLevels], references: Sequence[re.Pattern[str]]) -> dict[int, Correction]:
    """Return the corrections of those of *members*, all measured at one target, that are not right as they are."""
    positions = _all_positions(members)
    known = [one for one in members if any(pattern.search(one.series.key.benchmark) for pattern in references)]
    if known:
        _, table = build_table(known, [one.values - np.median(one.values) for one in known], positions)
        factor = reference_factor(table)
    else:
        chosen = sorted(members, key=lambda one: -len(one.values))[:MAX_FACTOR_SERIES]
        _, table = build_table(chosen, [_residuals(one) for one in chosen], positions)
        factor = fit_common_factor(table)[0]
    found = dict[int, Correction]()
    at_position = np.zeros(positions[-1] + 1)
    at_position[positions] = factor
    for index, one in enumerate(members):
        here = at_position[one.series.positions]
        if here.any():
            fix = (
                Correction(subtract=here, weights=np.ones_like(here))
                if known
                else compute_correction(_residuals(one), here, one.levels.noise)
            )
            if (fix.weights < 1).any() or fix.subtract.any():
                found[index] = fix
    return found


def _residuals(one: SeriesLevels) -> Vector:
    """Return the distance of each value from its level."""
    return one.values - piecewise_medians(one.values, one.starts)
