"""Builds the map of recent changes: benchmarks by the newest commits, each value relative to its level."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from windtunnel.detect.format import DetectedChanges, MachineShift
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, EnvironmentName
from windtunnel.model.measure import Better, CaseIdentity, unit_better
from windtunnel.model.settings import Expectation, case_expectation
from windtunnel.model.target import Target
from windtunnel.publish.format.front import ChangeMap, MapCommit, MapRow
from windtunnel.publish.timeline import SiteCommit
from windtunnel.results.columns import Floats, Indices
from windtunnel.results.series_table import SeriesRows, SeriesTable
from windtunnel.stats.common_factor import fit_common_factor
from windtunnel.stats.level_shifts import piecewise_medians
from windtunnel.stats.noise_scale import MEDIAN_OF_NORMAL

MAX_COMMITS = 30
"""Columns: as many as a wide screen shows."""
MAX_ROWS = 20
"""Rows: as many as a screen shows; the page of benchmarks lists all."""
MIN_VALUES = 3
"""The values that a series needs for a level."""
MIN_CHANGE = float(np.log1p(0.05))
"""The smallest change that is shown: asv's own threshold."""
MIN_NOISE = 2.5
"""A shown change is this many times the noise of its benchmark; one without such a change, and without a detected
one, has no row."""
MAX_FACTOR_SERIES = 400
"""How many series of a target show how slow its machine was; more do not improve the estimate."""
MAX_CHANGE = 9_999
"""The largest change in per mille; a larger one is shown as this one."""

_SeriesKey = tuple[str, tuple[str, ...], int]
"""A series by its benchmark, its parameters and the index of its target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapSource:
    """What a map is built from."""

    table: SeriesTable
    benchmarks: Sequence[Benchmark]
    targets: Sequence[Target]
    commits: Sequence[SiteCommit]
    expectations: Sequence[Expectation] = ()
    """Which direction is an improvement; it depends on the unit otherwise."""


def change_map(changes: DetectedChanges, source: MapSource) -> ChangeMap | None:
    """Return the map of *source*; None without a series of three values at the newest commits."""
    table, targets, commits = source.table, source.targets, source.commits
    window = np.unique(table.commit)[-MAX_COMMITS:]
    if not len(window):
        return None
    order = {each.hash: index for index, each in enumerate(commits)}
    machines = {target.machine for target in targets}
    inside = [each for each in changes.machine_shifts if order.get(each.commit, -1) > window[0]]
    shifts = [each for each in inside if each.machine in machines]
    by_name = {benchmark.name: benchmark for benchmark in source.benchmarks}
    seconds = {benchmark.name for benchmark in source.benchmarks if benchmark.unit == "seconds"}
    chosen = np.flatnonzero(table.commit >= window[0]).astype(np.int32)
    steps = _machine_steps(shifts, targets, window, order)
    times = [each for each in table.series(chosen) if each.case.benchmark in seconds]
    new_levels = _new_levels(changes, targets, order)
    slow = _machine_factors(table, window, times, steps, new_levels)
    nothing = (np.zeros_like(steps), np.zeros_like(steps))
    recent = {key for key, starts in new_levels.items() if max(starts) >= window[0]}
    found = {
        name: _relative(table, window, _changed(series, recent), *((steps, slow) if name in seconds else nothing))
        for name, series in groupby(table.series(chosen), lambda each: each.case.benchmark)
    }
    least = {name: max(MIN_CHANGE, MIN_NOISE * _noise(line)) for name, line in found.items()}
    sizes = {name: float(np.nanmax(np.abs(line))) for name, line in found.items() if np.isfinite(line).any()}
    if not sizes:
        return None
    shown = {commits[index].hash for index in window.tolist()}
    changed = {each.benchmark for each in changes.changes if each.commit in shown}
    moved = [name for name, size in sizes.items() if name in changed or size >= least[name]]
    names = sorted(moved, key=lambda name: (name not in changed, -sizes[name], name))[:MAX_ROWS]
    return ChangeMap(
        commits=tuple(_column(index, commits[index]) for index in window.tolist()),
        rows=tuple(
            MapRow(
                benchmark=name,
                changed=name in changed,
                higher_is_better=_is_higher_better(name, by_name.get(name), source.expectations),
                changes=_per_mille(found[name]),
                least=_per_mille(np.array([least[name]]))[0] or 0,
            )
            for name in names
        ),
        moved=len(moved),
        benchmarks=len(sizes),
        machine_shifts=len(shifts),
    )


def _machine_steps(
    shifts: Sequence[MachineShift], targets: Sequence[Target], window: Indices, order: Mapping[CommitHash, int]
) -> Floats:
    """Return for each target and each commit of *window* the logarithm of the shifts of its machine so far."""
    steps = np.zeros((len(targets), len(window)))
    for shift in shifts:
        later = window >= order[shift.commit]
        for index, target in enumerate(targets):
            if target.machine == shift.machine and target.environment in shift.environments:
                steps[index, later] += np.log1p(max(shift.relative_change, -0.999))
    return steps


def _new_levels(
    changes: DetectedChanges, targets: Sequence[Target], order: Mapping[CommitHash, int]
) -> dict[_SeriesKey, list[int]]:
    """Return the commits at which a new level of each series begins."""
    indices = {target.key: index for index, target in enumerate(targets)}
    found: dict[_SeriesKey, list[int]] = defaultdict(list)
    for each in changes.changes:
        if each.commit in order:
            found[each.benchmark, each.params, indices.get((each.machine, each.environment), -1)] += [
                order[each.commit]
            ]
    return found


def _changed(series: Iterable[SeriesRows], recent: Collection[_SeriesKey]) -> Sequence[SeriesRows]:
    """Return those of *series* that changed recently, which the others would hide; all of them where none did."""
    every = tuple(series)
    return [each for each in every if (each.case.benchmark, each.case.params, each.target) in recent] or every


def _machine_factors(
    table: SeriesTable,
    window: Indices,
    times: Sequence[SeriesRows],
    steps: Floats,
    new_levels: Mapping[_SeriesKey, Sequence[int]],
) -> Floats:
    """Return for each target and each commit of *window* the logarithm by which its machine was slow in that run.

    It is what all *times* of the target share around their levels, as in change detection.
    """
    factors = np.zeros_like(steps)
    for index in range(len(steps)):
        here = sorted((each for each in times if each.target == index), key=lambda each: -len(each.rows))
        residuals = np.full((min(len(here), MAX_FACTOR_SERIES), len(window)), np.nan)
        for line, (case, _, rows) in zip(residuals, here, strict=False):
            known = rows[table.value[rows] > 0]
            if len(known) >= MIN_VALUES:
                at = np.searchsorted(window, table.commit[known])
                values = np.log(table.value[known]) - steps[index, at]
                starts = np.searchsorted(
                    table.commit[known], sorted(new_levels.get((case.benchmark, case.params, index), ()))
                )
                line[at] = values - piecewise_medians(values, sorted({*starts.tolist()} - {0, len(known)}))
        if len(residuals):
            factors[index] = fit_common_factor(residuals).passing
    return factors


def _relative(table: SeriesTable, window: Indices, series: Sequence[SeriesRows], steps: Floats, slow: Floats) -> Floats:
    """Return the logarithm of value / level at each commit of *window*, the median over *series*; NaN without values.

    *steps* are the logarithms to take out, for each target and commit; those of *slow* are only taken out where the
    series varies less without them: waiting does not take longer on a slow machine.
    """
    lines = np.full((len(series), len(window)), np.nan)
    for index, (_, target, rows) in enumerate(series):
        known = rows[table.value[rows] > 0]
        at = np.searchsorted(window, table.commit[known])
        if len(at) >= MIN_VALUES:
            line = np.log(table.value[known]) - steps[target, at]
            without = line - slow[target, at]
            line = min(line, without, key=lambda each: float(np.abs(np.diff(each)).mean()))
            lines[index, at] = line - np.median(line[: len(line) // 3])
    middle, with_value = np.full(len(window), np.nan), np.isfinite(lines).any(axis=0)
    middle[with_value] = np.nanmedian(lines[:, with_value], axis=0)
    return middle


def _noise(line: Floats) -> float:
    """Return the standard deviation of *line* around its levels, which a level shift hardly changes."""
    steps = np.abs(np.diff(line[np.isfinite(line)]))
    return float(np.median(steps)) / (MEDIAN_OF_NORMAL * 2**0.5) if len(steps) else 0.0


def _is_higher_better(name: BenchmarkName, benchmark: Benchmark | None, expectations: Sequence[Expectation]) -> bool:
    case = CaseIdentity(benchmark=name, params=(), environment=EnvironmentName(""))
    usual = Expectation(match="", better=unit_better(benchmark))
    return case_expectation(case, (*expectations, usual)).better is Better.HIGHER


def _per_mille(logarithms: Floats) -> tuple[int | None, ...]:
    with np.errstate(over="ignore"):
        changes = np.clip(np.expm1(logarithms) * 1000, -1000, MAX_CHANGE)
    return tuple(None if np.isnan(each) else round(float(each)) for each in changes)


def _column(index: int, commit: SiteCommit) -> MapCommit:
    known = commit.commit
    return MapCommit(
        commit=index,
        hash=commit.hash,
        subject=known.subject if known else None,
        date=known.author_date if known else None,
    )
