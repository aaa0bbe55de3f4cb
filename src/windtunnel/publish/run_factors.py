"""What the machine did to all times of a run, and the map of the newest commits, from which it is taken out."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from windtunnel.detect.format import Change
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.target import Target
from windtunnel.publish.format import site as data
from windtunnel.publish.site_index import SiteCommit
from windtunnel.results.columns import Floats, Indices
from windtunnel.results.series_table import SeriesTable, group_starts

MIN_CASES = 8
"""Cases of a run from which what moved all of them alike counts as the machine's."""
STEPS = 10_000
"""Factors are whole numbers of a ten-thousandth."""
MAP_COMMITS, MAP_ROWS = 30, 40
MAX_BEFORE = 10
"""The size of the map, and the values that are the level before it."""


def run_factors(
    table: SeriesTable,
    benchmarks: Sequence[Benchmark],
    changes: Sequence[Change],
    commits: Sequence[SiteCommit],
    targets: Sequence[Target],
) -> Floats:
    """Return the factor of the run of each row of *table*; 1 where it is not a time, or too few cases were measured.

    It is the median over the timed cases of the value divided by the level, which is the median between detected
    changes.
    """
    units = {each.name: each.unit for each in benchmarks}
    timed = np.array([units.get(each.benchmark) == "seconds" for each in table.cases], bool)
    rows = np.flatnonzero(timed[table.case] & (table.value > 0))
    logs = np.log(table.value[rows])
    pieces = np.zeros(len(table.case), np.int32)
    pieces[group_starts(table.case, table.target)] = 1
    for starts in _changed_rows(table, changes, commits, targets):
        pieces[starts] = 1
    residuals = logs - _medians(logs, np.cumsum(pieces, dtype=np.int32)[rows])
    runs = table.target * np.int32(len(commits) + 1) + table.commit
    factors = np.exp(_medians(residuals, runs[rows], MIN_CASES))
    found = np.ones(len(table.case))
    found[rows] = factors
    return found


def _medians(values: Floats, groups: Indices, least: int = 1) -> Floats:
    """Return for each of *values* the median of its group; 0 for groups of fewer than *least*."""
    if not len(values):
        return values
    order = np.argsort(groups, kind="stable")  # sorting each group alone takes a tenth of the time of np.lexsort
    starts, ordered = group_starts(groups[order]), values[order]
    counts = np.diff(np.append(starts, len(order)))
    several = np.flatnonzero(counts > 2)
    for start, count in zip(starts[several].tolist(), counts[several].tolist(), strict=True):
        ordered[start : start + count].sort()
    middle = (ordered[starts + (counts - 1) // 2] + ordered[starts + counts // 2]) / 2
    found = np.empty(len(values))
    found[order] = np.repeat(np.where(counts >= least, middle, 0.0), counts)
    return found


def _changed_rows(
    table: SeriesTable, changes: Sequence[Change], commits: Sequence[SiteCommit], targets: Sequence[Target]
) -> Iterator[Indices]:
    """Yield the first row after each change of each series."""
    order = {each.hash: index for index, each in enumerate(commits)}
    known = {target.key: index for index, target in enumerate(targets)}
    found = defaultdict[tuple[str, tuple[str, ...], int], set[int]](set)
    for each in changes:
        if each.commit in order:
            found[each.benchmark, each.params, known.get((each.machine, each.environment), -1)].add(order[each.commit])
    for case, target, rows in table.series() if found else ():
        if at := found.get((case.benchmark, case.params, target)):
            after = np.searchsorted(table.commit[rows], sorted(at))
            yield rows[after[after < len(rows)]]


def factors_data(table: SeriesTable, factors: Floats) -> data.FactorsData | None:
    """Return the factors of the runs at each target; None where nothing is taken out."""
    steps = np.rint(factors * STEPS).astype(np.int64)
    moved = np.flatnonzero(steps != STEPS)
    if not len(moved):
        return None
    runs = {(int(table.target[row]), int(table.commit[row])): int(steps[row]) for row in moved}
    listed = defaultdict[int, list[tuple[int, int]]](list)
    for (target, commit), step in sorted(runs.items()):
        listed[target].append((commit, step))
    return data.FactorsData(
        schema="windtunnel.factors/1",
        targets=tuple(
            data.TargetFactors(
                target=target,
                commits=tuple(after - before for before, after in pairwise([0, *(commit for commit, _ in found)])),
                factors=tuple(step for _, step in found),
            )
            for target, found in listed.items()
        ),
    )


def change_map(
    table: SeriesTable, factors: Floats, changes: Sequence[Change], commits: Sequence[SiteCommit]
) -> data.ChangeMap | None:
    """Return the newest commits of the benchmarks that changed there; None where nothing did.

    A cell is the median over the cases of the value divided by the level before the first of these changes.
    """
    order = {each.hash: index for index, each in enumerate(commits)}
    first = max(0, len(commits) - MAP_COMMITS)
    found = defaultdict[str, list[Change]](list)
    for each in changes:
        if order.get(each.commit, -1) > first:
            found[each.benchmark].append(each)
    newest = sorted(found.items(), key=lambda item: -max(order[each.commit] for each in item[1]))[:MAP_ROWS]
    names = {name for name, _ in newest}
    wanted = np.array([case.benchmark in names for case in table.cases], bool)
    rows = np.flatnonzero(wanted[table.case] & (table.commit >= first - MAP_COMMITS) & (table.value > 0)).astype(
        np.int32
    )
    values = np.log(table.value / factors, where=table.value > 0, out=np.zeros(len(table.case)))
    series = defaultdict[str, list[Indices]](list)
    for case, _, part in table.series(rows):
        series[case.benchmark].append(part)
    listed = []
    for name, own in newest:
        since = min(order[each.commit] for each in own)
        cells = _cells(table, values, series[name], since)
        up = [each.relative_change > 0 for each in own if each.relative_change and each.direction == "regressed"]
        down = [each.relative_change < 0 for each in own if each.relative_change and each.direction == "improved"]
        listed.append(
            data.MapRow(
                benchmark=name,
                more_is_worse=all([*up, *down]),
                cells=tuple(cells.get(commit) for commit in range(first, len(commits))),
            )
        )
    if not listed:
        return None
    return data.ChangeMap(
        first=first,
        hashes=tuple(each.hash[:8] for each in commits[first:]),
        dates=tuple(int(each.date) for each in commits[first:]),
        rows=tuple(listed),
    )


def _cells(table: SeriesTable, values: Floats, series: Sequence[Indices], since: int) -> Mapping[int, float]:
    """Return the median ratio of each commit; 1 for what is within the noise before the change."""
    ratios, noise = defaultdict[int, list[float]](list), list[float]()
    for rows in series:
        before = values[rows[table.commit[rows] < since]][-MAX_BEFORE:]
        if len(before) > 1:
            noise.append(2 * float(np.median(np.abs(np.diff(before)))))
            level = float(np.median(before))
            for row in rows:
                ratios[int(table.commit[row])].append(float(values[row]) - level)
    middle = {commit: float(np.median(each)) for commit, each in ratios.items()}
    least = float(np.median(noise)) if noise else 0.0
    return {commit: 1.0 if abs(each) < least else round(float(np.exp(each)), 3) for commit, each in middle.items()}
