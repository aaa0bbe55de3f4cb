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
from windtunnel.model.run import Run
from windtunnel.model.target import TargetKey
from windtunnel.results.columns import CaseKey, Floats, Indices, ResultsValues, concatenate
from windtunnel.stats.medians import positive_limit


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
    """NaN unless the interval is finite and encloses the value; a positive value has a positive limit."""
    high: Floats
    """NaN where *low* is."""

    def series(self, rows: Indices | None = None) -> Iterator[SeriesRows]:
        """Yield each series with its rows, those among *rows* only where they are given (ascending)."""
        if rows is None:
            chosen, starts = np.arange(len(self.case), dtype=np.int32), group_starts(self.case, self.target)
        else:
            chosen, starts = rows, group_starts(self.case[rows], self.target[rows])
        for part in np.split(chosen, starts[1:]) if len(chosen) else ():
            yield SeriesRows(self.cases[self.case[part[0]]], int(self.target[part[0]]), part)

    def select(self, rows: NDArray[np.int64]) -> "SeriesTable":
        """Return the table with *rows* alone."""
        return SeriesTable(
            cases=self.cases,
            case=self.case[rows],
            target=self.target[rows],
            commit=self.commit[rows],
            value=self.value[rows],
            low=self.low[rows],
            high=self.high[rows],
        )


def series_table(
    values: ResultsValues,
    targets: Sequence[int],
    commits: Mapping[CommitHash, int],
    *,
    current_only: bool = False,
    intervals: bool = True,
) -> SeriesTable:
    """Return the table of *values*; runs whose commit is not in *commits* are left out.

    *targets* holds the index of the target of each run. As in asv, a row without a version belongs to the present
    version. With *current_only*, other versions are left out, and of several values for one case and commit (a
    parameter value listed twice) the last counts, as in asv. Without *intervals*, none is known.
    """
    # The rows of each run are together, so the runs are sorted instead of two of the columns.
    included = sorted(
        (targets[index], commits[run.commit], index)
        for index, run in enumerate(values.tree.runs)
        if run.commit in commits
    )
    columns = concatenate([values.runs[index].columns for _, _, index in included], intervals=intervals)
    lengths = [len(values.runs[index].columns) for _, _, index in included]
    cases, numbers = _number_cases(values, current_only=current_only)
    case = numbers[columns.case]
    order = np.argsort(case, kind="stable")
    order = order[np.count_nonzero(case < 0) :]  # leaves out the case -1
    run_of = np.repeat(np.arange(len(included), dtype=np.int32), lengths)[order]
    case = case[order]
    target = np.array([target for target, _, _ in included], np.int32)[run_of]
    commit = np.array([commit for _, commit, _ in included], np.int32)[run_of]
    if current_only:
        is_last = np.append(group_starts(case, target, commit), len(order))[1:] - 1
        order, case, target, commit = order[is_last], case[is_last], target[is_last], commit[is_last]
    value = columns.value[order]
    value[~np.isfinite(value)] = np.nan
    low, high = columns.low[: len(value)], columns.high[: len(value)]
    if intervals:
        low, high = _limits(value, columns.low[order], columns.high[order])
    return SeriesTable(cases=cases, case=case, target=target, commit=commit, value=value, low=low, high=high)


def _limits(value: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the limits of each interval, as `SeriesTable` describes them; *low* and *high* change."""
    unknown = ~(np.isfinite(low) & np.isfinite(high) & (low <= value) & (value <= high))
    low[unknown] = high[unknown] = np.nan
    wide = (low <= 0) & (value > 0)
    low[wide] = positive_limit(value[wide], high[wide])
    return low, high


def index_targets(runs: Sequence[Run], targets: Sequence[TargetKey]) -> tuple[int, ...]:
    """Return the index in *targets* of each run's target."""
    indices = {key: index for index, key in enumerate(targets)}
    return tuple(indices[run.machine, run.environment.name] for run in runs)


def distinct_pairs(first: Indices, second: Indices) -> list[tuple[int, int]]:
    """Return the different pairs of two columns, ascending."""
    one, other = np.divmod(np.unique((first.astype(np.int64) << 32) + second), 1 << 32)
    return list(zip(one.tolist(), other.tolist(), strict=True))


def newest_pairs(table: SeriesTable, on_branch: NDArray[np.bool_]) -> set[tuple[int, int]]:
    """Return the targets and commits that hold the newest value of some series.

    *on_branch* has for each commit whether it is on the branch; others count as older than all that are.
    """
    if not len(table.case):
        return set()
    starts = group_starts(table.case, table.target)
    rows = np.arange(len(table.case))
    last = np.append(starts[1:], len(rows)) - 1
    newest = np.maximum.reduceat(np.where(on_branch[table.commit], rows, -1), starts)
    newest = np.where(newest < 0, last, newest)
    return set(distinct_pairs(table.target[newest], table.commit[newest]))


def join_tables(tables: Sequence[SeriesTable], benchmarks: Sequence[Benchmark]) -> SeriesTable:
    """Return one table with the rows of *tables*, whose series have no commit in common."""
    used = [np.unique(table.case) for table in tables]
    keys = {table.cases[index] for table, indices in zip(tables, used, strict=True) for index in indices.tolist()}
    cases = tuple(sorted(keys, key=_SuiteOrder(benchmarks)))
    order = {key: index for index, key in enumerate(cases)}
    numbers = []
    for table, indices in zip(tables, used, strict=True):
        lookup = np.zeros(len(table.cases) or 1, np.int32)
        lookup[indices] = [order[table.cases[index]] for index in indices.tolist()]
        numbers.append(lookup[table.case])
    case = np.concatenate(numbers)
    target = np.concatenate([table.target for table in tables])
    commit = np.concatenate([table.commit for table in tables])
    rows = np.lexsort((commit, target, case))
    value, low, high = (
        np.concatenate([getattr(table, name) for table in tables])[rows] for name in ("value", "low", "high")
    )
    return SeriesTable(
        cases=cases, case=case[rows], target=target[rows], commit=commit[rows], value=value, low=low, high=high
    )


def coarsen(table: SeriesTable, size: int) -> SeriesTable:
    """Return *table* with one row for the values of each series on *size* neighbouring commits.

    The row is at the newest of these commits. Its value is their median, and its interval encloses all values and
    their intervals.
    """
    if not len(table.case):
        return table
    group = table.commit // size
    starts = group_starts(table.case, table.target, group)
    lengths = np.diff(np.append(starts, len(table.case)))
    numbers = np.repeat(np.arange(len(starts)), lengths)
    ordered = table.value[np.lexsort((table.value, numbers))]  # NaN comes last
    known = np.add.reduceat(np.isfinite(table.value), starts, dtype=np.int64)
    lower, upper = starts + np.maximum(known - 1, 0) // 2, starts + known // 2
    middle = np.where(known > 0, ordered[lower] / 2 + ordered[np.minimum(upper, len(ordered) - 1)] / 2, np.nan)
    return SeriesTable(
        cases=table.cases,
        case=table.case[starts],
        target=table.target[starts],
        commit=table.commit[starts + lengths - 1],
        value=middle,
        low=np.fmin.reduceat(np.fmin(table.low, table.value), starts),
        high=np.fmax.reduceat(np.fmax(table.high, table.value), starts),
    )


def group_starts(*columns: Indices) -> NDArray[np.int64]:
    """Return the rows at which the combination of *columns* changes, and the first one if there is one."""
    changed = np.zeros(len(columns[0]), bool)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changed)


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
