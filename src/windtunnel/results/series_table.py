"""The table of series: all values of a history, sorted so that the rows of each series follow one another.

A series is a case at a target over the commits of a history. Change detection and the site read the same table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import CommitHash, Parameters
from windtunnel.model.run import ResultsTree, Run
from windtunnel.model.target import TargetKey
from windtunnel.results.columns import CaseKey, Floats, Indices, ResultsValues, concatenate


class SeriesRows(NamedTuple):
    """A series: its case, the index of its target, and the indices of its rows by commit, ascending."""

    case: CaseKey
    target: int
    rows: Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesTable:
    """Values with their intervals, in columns of equal length sorted by case, target and commit."""

    cases: tuple[CaseKey, ...]
    """The cases in the suite's order; a version is None only where the suite has none."""
    case: Indices
    """Index into *cases*."""
    target: Indices
    """Index of a target, as it was given to `series_table`."""
    commit: Indices
    """Index of a commit, as it was given to `series_table`."""
    value: Floats
    """NaN where the case failed or the value is not finite."""
    low: Floats
    """NaN unless the interval is finite and encloses the value."""
    high: Floats
    """NaN where *low* is."""

    def series(self, rows: Indices | None = None) -> Iterator[SeriesRows]:
        """Yield each series with its rows, those among *rows* only where they are given (ascending)."""
        chosen = np.arange(len(self.case), dtype=np.int32) if rows is None else rows
        if not len(chosen):
            return
        case, target = self.case[chosen], self.target[chosen]
        starts = np.flatnonzero((np.diff(case) != 0) | (np.diff(target) != 0)) + 1
        for part in np.split(chosen, starts):
            yield SeriesRows(self.cases[self.case[part[0]]], int(self.target[part[0]]), part)


def series_table(
    values: ResultsValues, targets: Sequence[int], commits: Mapping[CommitHash, int], *, current_only: bool = False
) -> SeriesTable:
    """Return the table of *values*; runs whose commit is not in *commits* are left out.

    *targets* holds the index of the target of each run. As in asv, a row without a version belongs to the present
    version. With *current_only*, other versions are left out, and of several values for one case and commit (a
    parameter value listed twice) the last counts, as in asv.
    """
    included = [index for index, run in enumerate(values.tree.runs) if run.commit in commits]
    columns = concatenate([values.runs[index].columns for index in included])
    lengths = [len(values.runs[index].columns) for index in included]
    cases, numbers = _number_cases(values, current_only=current_only)
    case = numbers[columns.case]
    target = np.repeat(np.array([targets[index] for index in included], np.int32), lengths)
    commit = np.repeat(np.array([commits[values.tree.runs[index].commit] for index in included], np.int32), lengths)
    # One integer for each combination sorts faster than three columns.
    combined = (case.astype(np.int64) * (max(targets, default=0) + 1) + target) * (max(commits.values(), default=0) + 1)
    combined += commit
    order = np.argsort(combined, kind="stable")
    order = order[np.searchsorted(case[order], 0) :]  # leaves out the case -1
    if current_only and len(order):
        order = order[np.append(np.diff(combined[order]) != 0, True)]
    value, low, high = columns.value[order], columns.low[order], columns.high[order]
    value[~np.isfinite(value)] = np.nan
    unknown = ~(np.isfinite(low) & np.isfinite(high) & (low <= value) & (value <= high))
    low[unknown] = high[unknown] = np.nan
    return SeriesTable(
        cases=cases, case=case[order], target=target[order], commit=commit[order], value=value, low=low, high=high
    )


def index_targets(runs: Sequence[Run], targets: Sequence[TargetKey]) -> tuple[int, ...]:
    """Return the index in *targets* of each run's target."""
    indices = {key: index for index, key in enumerate(targets)}
    return tuple(indices[run.machine, run.environment.name] for run in runs)


def distinct_pairs(first: Indices, second: Indices) -> list[tuple[int, int]]:
    """Return the different pairs of two columns, ascending."""
    one, other = np.divmod(np.unique((first.astype(np.int64) << 32) + second), 1 << 32)
    return list(zip(one.tolist(), other.tolist(), strict=True))


def keep_newest_runs(values: ResultsValues, newest_first: Sequence[CommitHash]) -> ResultsTree:
    """Return the tree of *values* with those runs alone that hold the newest result of some case at their target.

    Commits that are not in *newest_first* count as older than all of them.
    """
    ranks = {commit: rank for rank, commit in reversed(list(enumerate(newest_first)))}
    cases, numbers = _number_cases(values, current_only=True)
    tree = values.tree
    seen: dict[TargetKey, NDArray[np.bool_]] = {}
    kept = []
    for run, found in sorted(
        zip(tree.runs, values.runs, strict=True),
        key=lambda pair: (ranks.get(pair[0].commit, len(ranks)), -pair[0].date, pair[0].commit),
    ):
        here = seen.setdefault((run.machine, run.environment.name), np.zeros(len(cases) + 1, bool))
        current = numbers[found.columns.case]  # -1, another version's, is the last element
        if not here[current].all():
            kept.append(run)
            here[current] = True
    return ResultsTree(
        runs=tuple(sorted(kept, key=lambda run: run.key)),
        benchmarks=tree.benchmarks,
        machines=tree.machines,
        problems=tree.problems,
    )


def _number_cases(values: ResultsValues, *, current_only: bool) -> tuple[tuple[CaseKey, ...], Indices]:
    """Return the cases that have values in the suite's order, and the index among them of each numbered case, or -1."""
    benchmarks = {benchmark.name: benchmark for benchmark in values.tree.benchmarks}
    has_values = np.zeros(len(values.cases) or 1, bool)
    for run in values.runs:
        has_values[run.columns.case] = True
    found: dict[CaseKey, list[int]] = {}
    for number, key in enumerate(values.cases):
        benchmark = benchmarks.get(key.benchmark)
        present = benchmark.version if benchmark else None
        case = key if key.version is not None else key._replace(version=present)
        if has_values[number] and not (current_only and (benchmark is None or not benchmark.is_current(key.version))):
            found.setdefault(case, []).append(number)
    numbers = np.full(len(has_values), -1, np.int32)
    cases = tuple(sorted(found, key=_SuiteOrder(values.tree.benchmarks)))
    for index, case in enumerate(cases):
        numbers[found[case]] = index
    return cases, numbers


class _SuiteOrder:
    """A sort key for cases: by benchmark, then as the suite lists its parameters; other cases come last."""

    def __init__(self, benchmarks: Sequence[Benchmark]) -> None:
        self._benchmarks = {benchmark.name: (index, benchmark) for index, benchmark in enumerate(benchmarks)}
        self._grids: dict[str, dict[Parameters, int]] = {}

    def __call__(self, case: CaseKey) -> tuple[int, str, str, int, Parameters]:
        index, benchmark = self._benchmarks.get(case.benchmark, (len(self._benchmarks), None))
        grid = self._grids.get(case.benchmark)
        if grid is None:
            grid = {params: index for index, params in enumerate(product(*benchmark.params))} if benchmark else {}
            self._grids[case.benchmark] = grid
        return index, case.benchmark, case.version or "", grid.get(case.params, len(grid)), case.params
