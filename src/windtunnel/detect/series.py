"""Builds series: the values of one case over the commits of a branch, in one environment on one machine."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.benchmark import Benchmark, CaseIdentity, counted_name, unit_better
from windtunnel.model.identity import (
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    MachineName,
    Parameters,
    text_of,
)
from windtunnel.model.run import CommitHistory, Run
from windtunnel.model.settings import CaseExpectation, Expectation, case_expectation
from windtunnel.results.columns import ResultsValues
from windtunnel.results.series_table import SeriesTable, TableBuilder, group_starts
from windtunnel.stats.special import Vector, median

DEFAULT_MIN_CHANGE = 0.03
"""Smallest relative change to report: less than the 5 % that eight runs reliably show, more than most suites' noise."""
DEFAULT_MIN_COUNT_CHANGE = 0.005
"""The same for counts of instructions, which usually vary by less than 0.1 % from one measurement to the next."""
MAX_ZERO = 1e-100
"""Values up to this size count as zero; there is no change relative to them."""
ROUNDING_ERROR = 1e-12
"""Share of the largest value; smaller differences are lost in floating-point sums."""
MIN_NOISE = 1e-3
"""The least relative noise that is assumed: coarse clocks repeat values and pretend to have none."""
MAX_WEIGHT = 2.0
"""The largest weight of one commit; repeated runs of one commit must not form a level of their own."""
MAX_EXPONENT = 700.0
"""The exponential of a larger number overflows a float."""
MAX_VALUE = 1e100
"""A larger value, infinity included, is a gap."""
HARDWARE = ("arch", "cpu", "num_cpu")
"""Details that distinguish machines of one name; the kernel and the size of memory do not."""


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


_CountKey = tuple[BenchmarkName, SeriesTarget, int]
"""A benchmark that counts instructions, a target and a position in the history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueScale:
    """The scale on which a series is searched: logarithmic, or linear where a value is zero or negative."""

    logarithmic: bool
    min_noise: float
    """The least noise that is assumed, on this scale."""

    def to_scale(self, values: Vector) -> Vector:
        """Return *values* on this scale."""
        return np.log(values) if self.logarithmic else values

    def from_scale(self, value: float) -> float:
        """Return a value on this scale in its unit."""
        return _exp(value) if self.logarithmic else value

    def relative_change(self, before: float, difference: float) -> float | None:
        """Return *difference*, on this scale, relative to *before*, in its unit; None where *before* is not above 0."""
        if self.logarithmic:
            return _exp(difference) - 1
        return difference / before if before > MAX_ZERO else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """The values of one case in the order of the branch; the arrays have one item for each measured commit."""

    key: SeriesKey
    unit: str | None
    is_time: bool
    expectation: CaseExpectation
    """The relevant change and the better direction."""
    positions: NDArray[np.int64]
    """Positions of the commits in the history, ascending."""
    values: NDArray[np.float64]
    """The median of each commit's results."""
    weights: NDArray[np.float64]
    """How many results each commit has, at most two."""
    removed: bool = False
    """Whether today's suite has no such benchmark, or another version of it."""
    counted_with: tuple[str, ...] = ()
    """The Python and the counter of each value, empty where they are not recorded; nothing unless values are counts."""

    single_calls: frozenset[int] = frozenset()
    """Positions at which short calls were timed one by one, see `SHORT`; always empty unless values are times."""

    @property
    def is_count(self) -> bool:
        """Whether the values are counts of instructions."""
        return bool(counted_name(self.key.benchmark))


def collect_series(
    values: ResultsValues, history: CommitHistory, expectations: Sequence[Expectation] = ()
) -> tuple[Series, ...]:
    """Sort *values* into series, sorted by key; failed, skipped and infinite values are gaps."""
    positions = {commit.hash: position for position, commit in enumerate(history.commits)}
    benchmarks = {benchmark.name: benchmark for benchmark in values.tree.benchmarks}
    targets = [_target(run) for run in values.tree.runs]
    indices = {target: index for index, target in enumerate(dict.fromkeys(targets))}
    table = TableBuilder(values, [indices[target] for target in targets], positions, intervals=False).build()
    is_usable = np.abs(table.value) <= MAX_VALUE
    if not is_usable.all():
        table = table.select(np.flatnonzero(is_usable))
    all_expectations = (*expectations, Expectation(match="", threshold=DEFAULT_MIN_CHANGE))
    counters = _counters(values, targets, positions)
    single_calls = _single_calls(values, targets, positions)
    found = sorted(_series_rows(table, list(indices)), key=lambda pair: _order(pair[0]))
    return tuple(
        _with_counters(_series(key, table, rows, benchmarks, all_expectations), counters, single_calls)
        for key, rows in found
    )


def find_scale(values: Vector) -> ValueScale:
    """Return the scale that fits all *values*."""
    if len(values) and values.min() > 0:
        return ValueScale(logarithmic=True, min_noise=MIN_NOISE)
    sizes = np.abs(values[np.abs(values) > MAX_ZERO])
    if not len(sizes):
        return ValueScale(logarithmic=False, min_noise=MIN_NOISE)
    min_noise = max(MIN_NOISE * float(np.median(sizes)), ROUNDING_ERROR * float(sizes.max()))
    return ValueScale(logarithmic=False, min_noise=min_noise)


def _exp(value: float) -> float:
    return math.exp(min(value, MAX_EXPONENT))


def _target(run: Run) -> SeriesTarget:
    hardware = ", ".join(text_of(run.params, name) or "" for name in HARDWARE)
    return SeriesTarget(run.machine, hardware, run.environment.name)


def _series_rows(table: SeriesTable, targets: list[SeriesTarget]) -> Iterator[tuple[SeriesKey, slice]]:
    """Yield each series with its rows."""
    for case, target, rows in table.series():
        key = SeriesKey(case.benchmark, case.params, case.version, targets[target])
        yield key, slice(int(rows[0]), int(rows[-1]) + 1)


def _series(
    key: SeriesKey,
    table: SeriesTable,
    rows: slice,
    benchmarks: dict[BenchmarkName, Benchmark],
    expectations: Sequence[Expectation],
) -> Series:
    benchmark = benchmarks.get(key.benchmark)
    commits, values = table.commit[rows], table.value[rows]
    weights = np.ones(len(values))
    first = group_starts(commits)  # rows are in the order of the commits
    if len(first) < len(values):
        weights = np.minimum(np.diff(first, append=len(values)).astype(float), MAX_WEIGHT)
        commits = commits[first]
        values = np.array([median(part) for part in np.split(values, first[1:])])
    return Series(
        key=key,
        unit=benchmark.unit if benchmark else None,
        is_time=_is_time(key.benchmark, benchmark),
        expectation=_expectation(key, benchmark, expectations),
        positions=commits.astype(np.int64),
        values=values,
        weights=weights,
        removed=_is_removed(key, benchmarks),
    )


def _counters(
    values: ResultsValues, targets: Sequence[SeriesTarget], positions: Mapping[CommitHash, int]
) -> Mapping[_CountKey, str]:
    """Return what counted the instructions of each benchmark at each target and position."""
    return {
        (benchmark, target, positions[run.commit]): counter
        for run, target, found in zip(values.tree.runs, targets, values.runs, strict=True)
        if run.commit in positions
        for benchmark, counter in found.counted_with
    }


def _single_calls(
    values: ResultsValues, targets: Sequence[SeriesTarget], positions: Mapping[CommitHash, int]
) -> Mapping[tuple[BenchmarkName, SeriesTarget], frozenset[int]]:
    """Return where each benchmark has short calls that were timed one by one."""
    found: dict[tuple[BenchmarkName, SeriesTarget], set[int]] = defaultdict(set)
    for run, target, facts in zip(values.tree.runs, targets, values.runs, strict=True):
        if run.commit in positions:
            for benchmark in facts.single_calls:
                found[benchmark, target].add(positions[run.commit])
    return {key: frozenset(each) for key, each in found.items()}


def _with_counters(
    series: Series,
    counters: Mapping[_CountKey, str],
    single_calls: Mapping[tuple[BenchmarkName, SeriesTarget], frozenset[int]],
) -> Series:
    benchmark, target = series.key.benchmark, series.key.target
    if series.is_time:
        return replace(series, single_calls=single_calls.get((benchmark, target), frozenset()))
    if not series.is_count:
        return series
    counted_with = (counters.get((benchmark, target, at), "") for at in series.positions.tolist())
    return replace(series, counted_with=tuple(counted_with))


def _is_removed(key: SeriesKey, benchmarks: dict[BenchmarkName, Benchmark]) -> bool:
    """Return whether asv would no longer show the series; False without a benchmarks.json."""
    benchmark = benchmarks.get(key.benchmark)
    if benchmark is None:
        return bool(benchmarks)
    return benchmark.version is not None and not benchmark.is_current(key.version)


def _expectation(key: SeriesKey, benchmark: Benchmark | None, expectations: Sequence[Expectation]) -> CaseExpectation:
    counted = counted_name(key.benchmark)
    name = BenchmarkName(counted) or key.benchmark
    case = CaseIdentity(benchmark=name, params=key.params, environment=key.target.environment)
    by_unit = Expectation(match="", better=unit_better(benchmark))
    found = case_expectation(case, (*expectations, by_unit))
    if not counted:
        return found
    return CaseExpectation(threshold=found.instructions_threshold or DEFAULT_MIN_COUNT_CHANGE)


def _is_time(name: BenchmarkName, benchmark: Benchmark | None) -> bool:
    if benchmark is None:  # benchmarks.json no longer has it; asv's naming rule remains
        return name.rpartition(".")[2].lower().startswith("time")
    return benchmark.kind == "time" or benchmark.unit == "seconds"


def _order(key: SeriesKey) -> tuple[str, ...]:
    return (key.benchmark, key.version or "", *key.target, *key.params)
