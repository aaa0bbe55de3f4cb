"""Series: one case over the commits of a branch, on one machine and environment; and their scale."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.benchmark import Benchmark, BenchmarkKind
from windtunnel.model.commit_history import CommitHistory
from windtunnel.model.identity import (
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    MachineName,
    Parameters,
    text_of,
)
from windtunnel.model.measure import CaseIdentity, unit_better
from windtunnel.model.run import Run
from windtunnel.model.settings import CaseExpectation, Expectation, case_expectation
from windtunnel.results.columns import Indices, ResultsValues
from windtunnel.results.series_table import SeriesTable, series_table
from windtunnel.stats.noise_scale import Vector

TINY = 1e-100
"""What is not above this is zero: nothing is relative to it."""
ROUNDING = 1e-12
"""Of the largest value: differences below it are lost when floats are added."""
LEAST_NOISE = 1e-3
"""Changes are never weighed against less than 0.1 % of noise: ties and coarse clocks pretend to none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueScale:
    """Logarithmic, or linear where a value is zero or negative."""

    logarithmic: bool
    least_noise: float

    def there(self, values: Vector) -> Vector:
        """Return *values* on this scale."""
        return np.log(values) if self.logarithmic else values

    def back(self, value: float) -> float:
        """Return a value on this scale in its unit."""
        return _exp(value) if self.logarithmic else value

    def relative(self, before: float, difference: float) -> float | None:
        """Return what *difference* is relative to *before*, which is in its unit; None where that means nothing."""
        if self.logarithmic:
            return _exp(difference) - 1
        return difference / before if before > TINY else None


def scale_of(values: Vector) -> ValueScale:
    """Return the scale that fits all *values*."""
    if len(values) and values.min() > 0:
        return ValueScale(logarithmic=True, least_noise=LEAST_NOISE)
    sizes = np.abs(values[np.abs(values) > TINY])
    if not len(sizes):
        return ValueScale(logarithmic=False, least_noise=LEAST_NOISE)
    least = max(LEAST_NOISE * float(np.median(sizes)), ROUNDING * float(sizes.max()))
    return ValueScale(logarithmic=False, least_noise=least)


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0))  # e^709 is the largest float


DEFAULT_MIN_CHANGE = 0.03
"""Relative change worth telling: below the 5 % that eight runs are promised to show, above the noise of most suites."""
MOST_WEIGHT = 2.0
"""Of one commit, however often it was measured: a commit must not become a level by repetition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the owner says of cases, and the least relative change that matters where nothing is said."""

    expectations: tuple[Expectation, ...] = ()
    least_change: float = DEFAULT_MIN_CHANGE


HARDWARE = ("arch", "cpu", "num_cpu")
"""Details that make another machine of one with the same name; the kernel and the bytes of memory do not."""
MAX_VALUE = 1e100
"""A larger value, infinity included, measures nothing: it is a gap."""


class SeriesTarget(NamedTuple):
    """An environment on a machine with certain hardware."""

    machine: MachineName
    hardware: str
    environment: EnvironmentName


class SeriesKey(NamedTuple):
    """What identifies a series; another version or other hardware begins a new one."""

    benchmark: BenchmarkName
    params: Parameters
    version: BenchmarkVersion | None
    target: SeriesTarget


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """The points of one case, in the order of the branch: *positions* in the history, ascending, each once."""

    key: SeriesKey
    unit: str | None
    is_time: bool
    expected: CaseExpectation
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


def collect_series(values: ResultsValues, history: CommitHistory, wishes: Wishes) -> Collected:
    """Sort *values* into series; failed, skipped and infinite values are gaps."""
    positions = {commit.hash: position for position, commit in enumerate(history.commits)}
    benchmarks = {benchmark.name: benchmark for benchmark in values.tree.benchmarks}
    measured = {run.commit for run in values.tree.runs}
    keyed = [_series_target(run) for run in values.tree.runs]
    numbers = {target: number for number, target in enumerate(dict.fromkeys(keyed))}
    table = series_table(values, [numbers[target] for target in keyed], positions)
    found = sorted(_usable(table, list(numbers)), key=lambda pair: _order(pair[0]))
    return Collected(
        series=tuple(_series(key, table, rows, benchmarks, wishes) for key, rows in found),
        commits=len(measured & positions.keys()),
        elsewhere=tuple(sorted(measured - positions.keys())),
    )


def _series_target(run: Run) -> SeriesTarget:
    hardware = ", ".join(text_of(run.params, name) or "" for name in HARDWARE)
    return SeriesTarget(run.machine, hardware, run.environment.name)


def _usable(table: SeriesTable, targets: list[SeriesTarget]) -> Iterator[tuple[SeriesKey, Indices]]:
    """Yield each series that has values with the rows that hold them."""
    is_usable = np.abs(table.value) <= MAX_VALUE
    for case, target, rows in table.series(np.flatnonzero(is_usable).astype(np.int32)):
        yield SeriesKey(case.benchmark, case.params, case.version, targets[target]), rows


def _series(
    key: SeriesKey, table: SeriesTable, rows: Indices, benchmarks: dict[BenchmarkName, Benchmark], wishes: Wishes
) -> Series:
    benchmark = benchmarks.get(key.benchmark)
    measured = table.value[rows]
    positions, first, counts = np.unique(table.commit[rows].astype(np.int64), return_index=True, return_counts=True)
    values = measured[first]
    for index in np.flatnonzero(counts > 1):
        values[index] = np.median(measured[first[index] : first[index] + counts[index]])
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


def _expected(key: SeriesKey, benchmark: Benchmark | None, wishes: Wishes) -> CaseExpectation:
    case = CaseIdentity(benchmark=key.benchmark, params=key.params, environment=key.target.environment)
    usual = Expectation(match="", threshold=wishes.least_change, better=unit_better(benchmark))
    return case_expectation(case, (*wishes.expectations, usual))


def _is_time(name: BenchmarkName, benchmark: Benchmark | None) -> bool:
    if benchmark is None:  # gone from benchmarks.json; asv's own naming rule is what is left
        return name.rpartition(".")[2].lower().startswith("time")
    return benchmark.kind is BenchmarkKind.TIME or benchmark.unit == "seconds"


def _order(key: SeriesKey) -> tuple[str, ...]:
    return (key.benchmark, key.version or "", *key.target, *key.params)
