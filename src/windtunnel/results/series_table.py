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
from windtunnel.results.columns import CaseKey, Floats, Indices, ResultsValues
from windtunnel.stats.intervals import positive_limit


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
    """Index of a target, as it was given to `TableBuilder`."""
    commit: Indices
    """Index of a commit, as it was given to `TableBuilder`."""
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

    def select(self, rows: NDArray[np.int64] | slice) -> "SeriesTable":
        """Return the table with *rows* alone; a slice copies nothing."""
        return SeriesTable(
            cases=self.cases,
            case=self.case[rows],
            target=self.target[rows],
            commit=self.commit[rows],
            value=self.value[rows],
            low=self.low[rows],
            high=self.high[rows],
        )


class TableBuilder:
    """Builds the tables of some runs of *values*, with the cases of all."""

    def __init__(
        self,
        values: ResultsValues,
        targets: Sequence[int],
        commits: Mapping[CommitHash, int],
        *,
        current_only: bool = False,
        intervals: bool = True,
    ) -> None:
        """Number the cases; *targets* holds the index of the target of each run, *commits* that of each commit.

        As in asv, a row without a version belongs to the present version. With *current_only*, other versions are left
        out, and of several values for one case and commit (a parameter value listed twice) the last counts, as in asv.
        Without *intervals*, none is known.
        """
        self._values, self._current_only, self._intervals = values, current_only, intervals
        self._target = np.array(targets, np.int32)
        self._commit = np.array([commits.get(run.commit, -1) for run in values.tree.runs], np.int32)
        self.cases, self._case_numbers = _number_cases(values, current_only=current_only)

    def build(self, runs: Sequence[int] | None = None, *, by_target: bool = False) -> SeriesTable:
        """Return the table of *runs*, by their indices, or of all whose commits have an index.

        With *by_target*, rows are sorted by target, case and commit.
        """
        order = np.flatnonzero(self._commit >= 0).astype(np.int32) if runs is None else np.array(runs, np.int32)
        order = order[np.lexsort((order, self._commit[order], self._target[order]))]
        rank = np.full(len(self._target) + 1, -1, np.int32)  # the last is of a run that the tree does not have
        rank[order] = np.arange(len(order))
        size, first = len(self.cases) or 1, self._target[order] * np.int64(by_target)
        keys = [np.empty(0, np.int64)]
        columns: dict[str, list[Floats]] = {
            name: [np.empty(0)] for name in ("value", "low", "high")[: 3 if self._intervals else 1]
        }
        for block in self._values.blocks:
            ranks = rank[block.runs]
            if (ranks < 0).all():
                continue
            values = block.read()
            run, case = ranks[np.minimum(values["run"], len(ranks) - 1)], self._case_numbers[values["case"]]
            kept = np.flatnonzero((run >= 0) & (case >= 0))
            run, case = run[kept], case[kept]
            keys.append((first[run] * size + case) * len(order) + run)
            for name, parts in columns.items():
                parts.append(values[name][kept])
            del values
        key = np.concatenate(keys)
        rows = np.argsort(key, kind="stable")
        series, run = np.divmod(key[rows], len(order) or 1)
        del key, keys
        case = (series % size).astype(np.int32)
        target, commit = self._target[order][run], self._commit[order][run]
        if self._current_only:
            is_last = np.append(group_starts(case, target, commit), len(rows))[1:] - 1
            rows, case, target, commit = rows[is_last], case[is_last], target[is_last], commit[is_last]
        value, *limits = (np.concatenate(columns.pop(name))[rows] for name in tuple(columns))
        value[~np.isfinite(value)] = np.nan
        low, high = _limits(value, *limits) if limits else (np.broadcast_to(np.nan, len(value)),) * 2
        return SeriesTable(cases=self.cases, case=case, target=target, commit=commit, value=value, low=low, high=high)


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


def join_tables(tables: Sequence[SeriesTable]) -> SeriesTable:
    """Return one table with the rows of *tables*, which number cases alike and whose series share no commit."""
    case, target, commit, value, low, high = (
        np.concatenate([getattr(table, name) for table in tables])
        for name in ("case", "target", "commit", "value", "low", "high")
    )
    series = case.astype(np.int64) * (target.max(initial=0) + 1) + target
    joined = SeriesTable(
        cases=tables[0].cases, case=case, target=target, commit=commit, value=value, low=low, high=high
    )
    return joined.select(np.argsort((series << 32) + commit, kind="stable"))


def coarsen(table: SeriesTable, groups: Indices) -> SeriesTable:
    """Return *table* with one row for the values of each series on the commits of one group; *groups* has that of each.

    The row is at the newest of these commits. Its value is their median, and its interval encloses all values and
    their intervals.
    """
    if not len(table.case):
        return table
    starts = group_starts(table.case, table.target, groups[table.commit])
    lengths = np.diff(np.append(starts, len(table.case)))
    dense = np.full((len(starts), lengths.max()), np.nan)
    dense[np.repeat(np.arange(len(starts)), lengths), np.arange(len(table.case)) - np.repeat(starts, lengths)] = (
        table.value
    )
    dense.sort(axis=1)  # NaN comes last
    known = np.count_nonzero(np.isfinite(dense), axis=1)
    each = np.arange(len(starts))
    middle = dense[each, np.maximum(known - 1, 0) // 2] / 2 + dense[each, known // 2] / 2
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
    for block in values.blocks:
        found_values = block.read()
        in_tree = block.runs[np.minimum(found_values["run"], len(block.runs) - 1)] >= 0
        has_values[found_values["case"][in_tree]] = True
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
