"""Builds the map of recent changes: benchmarks by the newest commits, each value relative to its level."""

from collections.abc import Mapping, Sequence
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

MAX_COMMITS = 30
"""Columns: as many as a wide screen shows."""
MAX_ROWS = 20
"""Rows: as many as a screen shows; the page of benchmarks lists all."""
MIN_VALUES = 3
"""The values that a series needs for a level."""
MIN_CHANGE = float(np.log1p(0.05))
"""A benchmark without a detected change and without a cell of this size has no row: asv's own threshold."""
MAX_CHANGE = 9_999
"""The largest change in per mille; a larger one is shown as this one."""


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
    steps = _machine_steps(shifts, targets, window, order)
    by_name = {benchmark.name: benchmark for benchmark in source.benchmarks}
    seconds = {benchmark.name for benchmark in source.benchmarks if benchmark.unit == "seconds"}
    chosen = np.flatnonzero(table.commit >= window[0]).astype(np.int32)
    found = {
        name: _relative(table, window, tuple(series), steps if name in seconds else np.zeros_like(steps))
        for name, series in groupby(table.series(chosen), lambda each: each.case.benchmark)
    }
    sizes = {name: float(np.nanmax(np.abs(line))) for name, line in found.items() if np.isfinite(line).any()}
    if not sizes:
        return None
    shown = {commits[index].hash for index in window.tolist()}
    changed = {each.benchmark for each in changes.changes if each.commit in shown}
    moved = [name for name, size in sizes.items() if name in changed or size >= MIN_CHANGE]
    names = sorted(moved, key=lambda name: (name not in changed, -sizes[name], name))[:MAX_ROWS]
    return ChangeMap(
        commits=tuple(_column(index, commits[index]) for index in window.tolist()),
        rows=tuple(
            MapRow(
                benchmark=name,
                changed=name in changed,
                higher_is_better=_is_higher_better(name, by_name.get(name), source.expectations),
                changes=_per_mille(found[name]),
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


def _relative(table: SeriesTable, window: Indices, series: Sequence[SeriesRows], steps: Floats) -> Floats:
    """Return the logarithm of value / level at each commit of *window*, the median over *series*; NaN without values.

    *steps* are the logarithms to take out, for each target and commit.
    """
    lines = np.full((len(series), len(window)), np.nan)
    for index, (_, target, rows) in enumerate(series):
        known = rows[table.value[rows] > 0]
        at = np.searchsorted(window, table.commit[known])
        if len(at) >= MIN_VALUES:
            line = np.log(table.value[known]) - steps[target, at]
            lines[index, at] = line - np.median(line[: len(line) // 3])
    middle, with_value = np.full(len(window), np.nan), np.isfinite(lines).any(axis=0)
    middle[with_value] = np.nanmedian(lines[:, with_value], axis=0)
    return middle


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
