"""All values of the benchmarks' present versions in one table, sorted so that each series is a run of rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, Parameters
from windtunnel.model.run import ResultsTree
from windtunnel.model.target import Target
from windtunnel.results.columns import Numbers, Places, ResultsPoints


class SeriesKey(NamedTuple):
    """A case of a benchmark, by the benchmark's place among those that have values."""

    benchmark: int
    params: Parameters


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueTable:
    """The *benchmarks* that have values, and rows sorted by *series* (a place in *keys*), *place* and *commit*.

    A failed value is NaN, and so are limits that nobody knows.
    """

    benchmarks: tuple[Benchmark, ...]
    keys: tuple[SeriesKey, ...]
    series: Places
    place: Places
    commit: Places
    value: Numbers
    low: Numbers
    high: Numbers

    def lines(self, rows: "Places | slice" = slice(None)) -> Iterator[tuple[SeriesKey, int, Places]]:
        """Yield each series at each place with its rows, of *rows*, which must be in order."""
        chosen = np.arange(len(self.series), dtype=np.int32)[rows]
        if not len(chosen):
            return
        series, place = self.series[chosen], self.place[chosen]
        ends = np.flatnonzero((np.diff(series) != 0) | (np.diff(place) != 0)) + 1
        for part in np.split(chosen, ends):
            yield self.keys[self.series[part[0]]], int(self.place[part[0]]), part


def distinct(one: Places, other: Places) -> list[tuple[int, int]]:
    """Return the pairs that stand beside each other, each once, in order."""
    first, second = np.divmod(np.unique((one.astype(np.int64) << 32) + other), 1 << 32)
    return list(zip(first.tolist(), second.tolist(), strict=True))


def value_table(points: ResultsPoints, places: Sequence[Target], commits: Mapping[CommitHash, int]) -> ValueTable:
    """Return the values of *points*, without those of other versions than the present ones.

    As in asv, a row that says no version is of the present one. Limits that are not finite, or do not enclose the
    value, are unknown.
    """
    benchmarks, keys, ranks = _ranks(points)
    series = np.concatenate([ranks[each.case] for each in points.columns] or [np.empty(0, np.int32)])
    where = {(place.machine, place.environment): index for index, place in enumerate(places)}
    runs = points.tree.runs
    lengths = [len(each) for each in points.columns]
    place = np.repeat(np.array([where[run.machine, run.environment.name] for run in runs], np.int32), lengths)
    commit = np.repeat(np.array([commits[run.commit] for run in runs], np.int32), lengths)
    order = np.lexsort((commit, place, series))
    order = order[np.searchsorted(series[order], 0) :]  # -1: of another version
    last = np.ones(len(order), bool)  # a value that stands twice in a grid means its last place, as in asv
    rows = (series[order], place[order], commit[order])
    last[:-1] = np.any([np.diff(row) != 0 for row in rows], axis=0)
    order = order[last]
    value, low, high = (
        np.concatenate([getattr(each, name) for each in points.columns])[order] for name in ("value", "low", "high")
    )
    value = np.where(np.isfinite(value), value, np.nan)
    known = np.isfinite(low) & np.isfinite(high) & (low <= value) & (value <= high)
    return ValueTable(
        benchmarks=benchmarks,
        keys=keys,
        series=series[order],
        place=place[order],
        commit=commit[order],
        value=value,
        low=np.where(known, low, np.nan),
        high=np.where(known, high, np.nan),
    )


def needed_runs(points: ResultsPoints, newest_first: Sequence[CommitHash]) -> ResultsTree:
    """Return the tree of *points* with only those runs that are the newest of some case somewhere.

    Commits that are not among *newest_first* are older than all of them, as in overviews: the newest figures of the
    pruned tree are those of the whole.
    """
    newness = {commit: rank for rank, commit in reversed(list(enumerate(newest_first)))}
    _, _, ranks = _ranks(points)
    tree = points.tree
    seen: dict[tuple[str, str], NDArray[np.bool_]] = {}
    kept = []
    for run, columns in sorted(
        zip(tree.runs, points.columns, strict=True),
        key=lambda pair: (newness.get(pair[0].commit, len(newness)), -pair[0].date, pair[0].commit),
    ):
        here = seen.setdefault((run.machine, run.environment.name), np.zeros(len(ranks) + 1, bool))
        cases = ranks[columns.case]  # -1, another version's, is the last place
        if not here[cases].all():
            kept.append(run)
            here[cases] = True
    return ResultsTree(
        runs=tuple(sorted(kept, key=lambda run: run.key)),
        benchmarks=tree.benchmarks,
        machines=tree.machines,
        problems=tree.problems,
    )


def _ranks(points: ResultsPoints) -> tuple[tuple[Benchmark, ...], tuple[SeriesKey, ...], Places]:
    """Return benchmarks, series in the suite's order, and for each number of a case the place of its series, or -1."""
    versions = {benchmark.name: benchmark.version for benchmark in points.tree.benchmarks}
    there = _with_values(points)
    wanted = [
        (number, key)
        for number, key in enumerate(points.cases)
        if there[number] and key.benchmark in versions and key.version in (None, versions[key.benchmark])
    ]
    names = {key.benchmark for _, key in wanted}
    benchmarks = tuple(benchmark for benchmark in points.tree.benchmarks if benchmark.name in names)
    index = {benchmark.name: place for place, benchmark in enumerate(benchmarks)}
    found: dict[SeriesKey, list[int]] = {}
    for number, key in wanted:
        found.setdefault(SeriesKey(index[key.benchmark], key.params), []).append(number)
    ranks = np.full(len(points.cases) or 1, -1, np.int32)
    keys = tuple(sorted(found, key=_Order(benchmarks)))
    for rank, one in enumerate(keys):
        ranks[found[one]] = rank
    return benchmarks, keys, ranks


def _with_values(points: ResultsPoints) -> NDArray[np.bool_]:
    """Return for each number of a case whether any run has it; the cache may know cases of files that are gone."""
    there = np.zeros(len(points.cases) or 1, bool)
    for columns in points.columns:
        there[columns.case] = True
    return there


class _Order:
    """Sorts series by benchmark, then as the suite lists its parameters; values that it lists no more come last."""

    def __init__(self, benchmarks: Sequence[Benchmark]) -> None:
        self._benchmarks = benchmarks
        self._grids: dict[BenchmarkName, dict[Parameters, int]] = {}

    def __call__(self, key: SeriesKey) -> tuple[int, int, Parameters]:
        benchmark = self._benchmarks[key.benchmark]
        grid = self._grids.get(benchmark.name)
        if grid is None:
            grid = {params: place for place, params in enumerate(product(*benchmark.params))}
            self._grids[benchmark.name] = grid
        return key.benchmark, grid.get(key.params, len(grid)), key.params
