"""Series: one case over the commits of a branch, on one machine and environment, gaps kept."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windtunnel.analysis.better import unit_better
from windtunnel.analysis.expected import expected
from windtunnel.analysis.history import History
from windtunnel.measurement import (
    Benchmark,
    BenchmarkKind,
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    MachineName,
    Measured,
    Parameters,
    ResultsTree,
    Run,
    text_of,
)
from windtunnel.measurement.expectation import Expectation, Expected
from windtunnel.measurement.trial import Compared

LEAST_CHANGE = 0.03
"""Relative change worth telling: below the 5 % that eight runs are promised to show, above the noise of most suites."""
HARDWARE = ("arch", "cpu", "num_cpu")
"""Details that make another machine of one with the same name; kernel and bytes of memory do not."""
LARGEST = 1e100
"""A value beyond this, infinity included, measures nothing: it is a gap."""
MOST_WEIGHT = 2.0
"""Of one commit, however often it was measured: a commit must not become a level by repetition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the owner says of cases, and the least relative change that matters where nothing is said."""

    expectations: tuple[Expectation, ...] = ()
    least_change: float = LEAST_CHANGE


class Place(NamedTuple):
    """Where a series was measured."""

    machine: MachineName
    hardware: str
    environment: EnvironmentName


class SeriesKey(NamedTuple):
    """What makes two values points of one series; another version or other hardware begins a new one."""

    benchmark: BenchmarkName
    params: Parameters
    version: BenchmarkVersion | None
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """The points of one case, in the order of the branch: *positions* in the history, ascending, each once."""

    key: SeriesKey
    unit: str | None
    is_time: bool
    expected: Expected
    positions: NDArray[np.int64]
    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    gone: bool = False
    """Today's suite has no such benchmark, or another version of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """All series of a results tree, sorted by key, and the measured commits that are not in the history."""

    series: tuple[Series, ...]
    commits: int
    elsewhere: tuple[CommitHash, ...]


def collect_series(tree: ResultsTree, history: History, wishes: Wishes) -> Collected:
    """Sort the values of *tree* into series; failures, skips and infinities are gaps."""
    places = {commit.hash: position for position, commit in enumerate(history.commits)}
    benchmarks = {benchmark.name: benchmark for benchmark in tree.benchmarks}
    points = _Points()
    elsewhere, seen = set[CommitHash](), set[CommitHash]()
    for run in tree.runs:
        position = places.get(run.commit)
        if position is None:
            elsewhere.add(run.commit)
            continue
        seen.add(run.commit)
        points.take(run, position, benchmarks)
    found = points.by_series()
    return Collected(
        series=tuple(_series(key, found[key], benchmarks, wishes) for key in sorted(found, key=_order)),
        commits=len(seen),
        elsewhere=tuple(sorted(elsewhere)),
    )


class _Column(NamedTuple):
    """The values of a series, and the position of each in the history."""

    positions: list[int]
    values: list[float]


@dataclass(frozen=True, slots=True)
class _Points:
    """All values by row and case: a key for each of a million values would take as long as everything after it."""

    rows: dict[tuple[BenchmarkName, BenchmarkVersion | None, Place], dict[Parameters, _Column]] = field(
        default_factory=dict
    )

    def take(self, run: Run, position: int, benchmarks: dict[BenchmarkName, Benchmark]) -> None:
        """Add the values of *run*."""
        hardware = ", ".join(text_of(run.params, name) or "" for name in HARDWARE)
        place = Place(run.machine, hardware, run.environment.name)
        for row in run.rows:
            version = row.version
            if version is None and row.name in benchmarks:  # as in asv: a row without a version fits the current one
                version = benchmarks[row.name].version
            columns = self.rows.setdefault((row.name, version, place), {})
            for params, result in row.cases():
                if isinstance(result, Measured) and abs(result.value) <= LARGEST:
                    column = columns.get(params) or columns.setdefault(params, _Column([], []))
                    column.positions.append(position)
                    column.values.append(result.value)

    def by_series(self) -> dict[SeriesKey, _Column]:
        """Return the values of each series."""
        return {
            SeriesKey(name, params, version, place): column
            for (name, version, place), columns in self.rows.items()
            for params, column in columns.items()
        }


def _series(key: SeriesKey, points: _Column, benchmarks: dict[BenchmarkName, Benchmark], wishes: Wishes) -> Series:
    benchmark = benchmarks.get(key.benchmark)
    at, measured = np.array(points.positions, dtype=np.int64), np.array(points.values, dtype=np.float64)
    positions, first, counts = np.unique(at, return_index=True, return_counts=True)
    values = measured[first]
    for index in np.flatnonzero(counts > 1):
        values[index] = np.median(measured[at == positions[index]])
    return Series(
        key=key,
        unit=benchmark.unit if benchmark else None,
        is_time=_is_time(key.benchmark, benchmark),
        expected=_expected(key, benchmark, wishes),
        positions=positions,
        values=values,
        weights=np.minimum(counts.astype(float), MOST_WEIGHT),
        gone=_is_gone(key, benchmarks),
    )


def _is_gone(key: SeriesKey, benchmarks: dict[BenchmarkName, Benchmark]) -> bool:
    """Tell whether asv would no longer show the series; without benchmarks.json nobody knows."""
    benchmark = benchmarks.get(key.benchmark)
    if benchmark is None:
        return bool(benchmarks)
    return None not in {benchmark.version, key.version} and benchmark.version != key.version


def _expected(key: SeriesKey, benchmark: Benchmark | None, wishes: Wishes) -> Expected:
    case = Compared(benchmark=key.benchmark, params=key.params, environment=key.place.environment)
    usual = Expectation(match="", threshold=wishes.least_change, better=unit_better(benchmark))
    return expected(case, (*wishes.expectations, usual))


def _is_time(name: BenchmarkName, benchmark: Benchmark | None) -> bool:
    if benchmark is None:  # gone from benchmarks.json; asv's own naming rule is what is left
        return name.rpartition(".")[2].lower().startswith("time")
    return benchmark.kind is BenchmarkKind.TIME or benchmark.unit == "seconds"


def _order(key: SeriesKey) -> tuple[str, ...]:
    return (key.benchmark, key.version or "", *key.place, *key.params)
