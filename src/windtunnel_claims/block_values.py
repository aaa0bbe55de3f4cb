"""Finds the cases of claims, and their values in the blocks of a series: a block is one observation.

The statistic of the claim represents a visit, and the geometric mean of its visits represents a case in a block. A
block counts for a test if it has visits of all its cases, and if it was not disturbed by other processes.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion
from windtunnel.stats.special import Floats
from windtunnel_claims.claim import ClaimedCase, Statistic
from windtunnel_claims.format import Setting
from windtunnel_claims.replay import MAX_LOG
from windtunnel_claims.samples_format import Block, CaseOfSeries, ClaimSeries

MAX_LISTED = 8
"""The names that a message lists; it counts the rest."""

Benchmarks = Mapping[BenchmarkName, Benchmark]


def find_case(benchmarks: Benchmarks, case: ClaimedCase, given: Sequence[Setting]) -> CaseOfSeries | str:
    """Return the case that *case* names; *given* sets the parameters that it leaves open, if the benchmark has them."""
    benchmark = benchmarks.get(case.benchmark)
    if benchmark is None:
        return f"these results have no benchmark {case.benchmark}"
    values = {setting.name: setting.value for setting in (*given, *case.settings)}
    if unknown := [setting.name for setting in case.settings if setting.name not in benchmark.param_names]:
        return f"{case.benchmark} has no parameter {unknown[0]!r}; it has {_listed(benchmark.param_names)}"
    for name, known in zip(benchmark.param_names, benchmark.params, strict=False):
        if name not in values:
            return f"the claim does not set {name} of {case.benchmark}: {_listed(known)}"
        if values[name] not in known:
            return f"{case.benchmark} has no {name} {values[name]}; it has {_listed(known)}"
    return CaseOfSeries(
        benchmark=benchmark.name,
        params=tuple(values[name] for name in benchmark.param_names),
        version=benchmark.version or BenchmarkVersion(""),
        unit=benchmark.unit or "",
        is_time=benchmark.kind == "time" or benchmark.unit == "seconds",
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_LISTED]) + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "")


MIN_TIME_SPREAD = 1e-3
"""The smallest relative spread assumed between processes' times: clocks and frequencies agree no better."""


def median(values: Sequence[float]) -> float:
    """Return the median, which is finite if all *values* are: the sum of two large values would not be."""
    ordered = sorted(values)
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    middle = (low + high) / 2
    return middle if math.isfinite(middle) else low / 2 + high / 2


def _ratio(numerator: float, denominator: float) -> float:
    """Return a ratio, infinite if there is none."""
    return numerator / denominator if denominator else math.inf


STATISTICS: Mapping[Statistic, Callable[[Sequence[float]], float]] = {
    Statistic.MEDIAN: median,
    Statistic.MEAN: lambda values: float(np.mean(values)),
    Statistic.MAXIMUM: max,
    Statistic.P95: lambda values: float(np.quantile(values, 0.95)),
    Statistic.MAXIMUM_BY_MEDIAN: lambda values: _ratio(max(values), median(values)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NoValues:
    """Why cases have no values."""

    blocks: ClassVar[int] = 0

    reason: str
    """The reason."""
    cases: tuple[int, ...] = ()
    """The indices of the cases in the series, if it has them."""
    is_final: bool = True
    """Whether more blocks cannot give values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockValues:
    """The values of some cases in the blocks that have all of them, oldest first."""

    cases: tuple[int, ...]
    """The indices of the cases in the series."""
    logs: Floats
    """The logarithms of the values, shape (cases, blocks)."""
    floor: float
    """The smallest standard deviation of a difference that is assumed: clocks agree no better."""
    days: tuple[tuple[str, str], ...]
    """The day and the boot of each block."""

    @property
    def blocks(self) -> int:
        """How many blocks have all cases."""
        return int(self.logs.shape[1])

    @property
    def ratios(self) -> tuple[float, ...]:
        """The ratio in each block, to five significant digits."""
        limited = np.exp(np.clip(self.differences, -MAX_LOG, MAX_LOG))
        return tuple(float(f"{ratio:.5g}") for ratio in limited)

    @property
    def differences(self) -> Floats:
        """The logarithm of the ratio of the first two cases in each block, shape: blocks."""
        return np.asarray(self.logs[0] - self.logs[1])

    def by_day(self, fewest: int) -> list[float]:
        """Return the mean difference of each day and boot with at least *fewest* blocks."""
        return [
            float(np.mean(self.differences[[day == one for one in self.days]]))
            for day, count in Counter(self.days).items()
            if count >= fewest
        ]


def block_values(
    series: ClaimSeries, claimed: Sequence[ClaimedCase], benchmarks: Benchmarks, statistic: Statistic, limit: float
) -> BlockValues | NoValues:
    """Return the values of *claimed* cases in the blocks of *series*, or why there are none.

    Blocks beside which other processes used more than *limit* processors are left out.
    """
    found = find_indices(series, claimed, benchmarks)
    if isinstance(found, NoValues):
        return found
    described = [series.cases[case] for case in found]
    absent = [f"{case.name} {case.absence}" for case in described if case.absence]
    units = [pair for pair in zip(described[::2], described[1::2], strict=False) if pair[0].unit != pair[1].unit]
    if series.skipped or absent:
        return NoValues(reason=series.skipped or absent[0], cases=found)
    if units:
        return NoValues(reason=f"{units[0][0].unit} and {units[0][1].unit} have no ratio", cases=found)
    quiet = [block for block in series.blocks if block.is_quiet(limit)]
    visited = [(row, block.day) for block in quiet if all(row := _visited(block, found))]
    if not visited:
        return NoValues(reason=_why_none(series.blocks, quiet), cases=found, is_final=False)
    complete = [row for row, _ in visited]
    with np.errstate(over="ignore"):  # numbers at the edge of what a float holds
        values = [[[STATISTICS[statistic](visit) for visit in visits] for visits in row] for row in complete]
    if not all(0 < value < math.inf for row in values for visits in row for value in visits):
        return NoValues(reason="a value is zero, negative or infinite and has no ratio", cases=found)
    logs = [[math.fsum(map(math.log, visits)) / len(visits) for visits in row] for row in values]
    is_time = any(case.is_time for case in described)
    return BlockValues(
        cases=found,
        logs=np.array(logs, dtype=float).T,
        floor=MIN_TIME_SPREAD * math.sqrt(2) if is_time else 0.0,
        days=tuple(day for _, day in visited),
    )


def find_indices(
    series: ClaimSeries, claimed: Sequence[ClaimedCase], benchmarks: Benchmarks
) -> tuple[int, ...] | NoValues:
    """Return the indices of *claimed* cases in *series*; another version of a benchmark is not comparable."""
    places = {(case.benchmark, case.params): at for at, case in enumerate(series.cases)}
    indices: list[int] = []
    for each in claimed:
        case = find_case(benchmarks, each, series.given)
        if isinstance(case, str):
            return NoValues(reason=case)
        at = places.get((case.benchmark, case.params))
        if at is None:
            return NoValues(reason=f"{case.name} was not measured in blocks")
        if not benchmarks[case.benchmark].is_current(series.cases[at].version):
            return NoValues(reason=f"{case.name} has changed since it was measured; measure again")
        indices.append(at)
    return tuple(indices)


def _why_none(blocks: Sequence[Block], quiet: Sequence[Block]) -> str:
    """Return why none of *blocks* counts."""
    if blocks and not quiet:
        return "other processes kept processors busy during all blocks"
    reasons = [block.reason for block in quiet if block.reason]
    return reasons[-1] if reasons else "no block is measured yet"


def _visited(block: Block, cases: Sequence[int]) -> list[list[tuple[float, ...]]]:
    """Return the samples of each visit of each of *cases*."""
    return [[visit.samples for visit in block.visits if visit.case == case] for case in cases]
