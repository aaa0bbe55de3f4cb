"""The newest figures of cases: values with their intervals, ratios, and how samples are distributed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, Parameters
from windtunnel.model.result import Failed, Interval, Measured, Result, Row, Skipped
from windtunnel.model.target import MeasuredTarget
from windtunnel.publish.format.overview import Distribution
from windtunnel.stats.medians import MedianEstimate, median_interval, positive_limit, ratio_of_medians

CONFIDENCE = 0.95
"""The least confidence of every interval: the customary level, and the highest one that six samples give."""
LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
"""The levels of quantiles: quartiles, the tails of latencies, the extremes."""
PROFILE = "profile"
"""asv's ``type`` of a benchmark whose samples of a process are in the order of time: memory while a job runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value in the benchmark's unit, or a ratio."""

    value: float
    """The median."""
    interval: Interval | None
    """None where there are too few samples for an interval."""
    samples: int | None = None
    """The number of samples; None where it was not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """No run has this case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Infinite:
    """The benchmark returned a number that is not finite: nothing to draw or to compare."""


CellState = Figure | Failed | Skipped | Missing | Infinite
"""What is known of a case at a target."""


def cell_state(result: Result | None) -> CellState:
    """Return what to show of *result*; None means that no run has the case."""
    match result:
        case None:
            return Missing()
        case Measured():
            return _figure(result) if math.isfinite(result.value) else Infinite()
        case Failed() | Skipped():
            return result


def ratio(contender: CellState, baseline: CellState) -> Figure | None:
    """Return contender / baseline; None where one of them has no figure or the baseline is not above zero."""
    if not (isinstance(contender, Figure) and isinstance(baseline, Figure) and baseline.value > 0):
        return None
    above, below = _estimate(contender), _estimate(baseline)
    found = above and below and ratio_of_medians(above, below)
    if found:
        return Figure(value=found.value, interval=Interval(low=found.low, high=found.high))
    return Figure(value=contender.value / baseline.value, interval=None)


def fastest(figures: Sequence[Figure | None]) -> tuple[int, ...]:
    """Return the index of the smallest of *figures* and of those whose intervals overlap its own, ascending.

    Returns nothing for fewer than two figures, and where the smallest has no interval.
    """
    there = [(figure.value, index) for index, figure in enumerate(figures) if figure]
    least = figures[min(there)[1]] if len(there) > 1 else None
    if least is None or least.interval is None:
        return ()
    limit = least.interval.high
    return tuple(
        index
        for index, figure in enumerate(figures)
        if figure and (figure.interval.low if figure.interval else figure.value) <= limit
    )


def _figure(measured: Measured) -> Figure:
    samples = tuple(sample for sample in measured.samples or () if math.isfinite(sample))
    interval = measured.interval
    if samples:
        found = median_interval(samples, CONFIDENCE)
        interval = Interval(low=found.low, high=found.high) if found else None
    if interval and not (-math.inf < interval.low <= measured.value <= interval.high < math.inf):
        interval = None  # asv writes infinite limits; an interval around another value is not of these samples
    if interval and interval.low <= 0 < measured.value:
        interval = Interval(low=positive_limit(measured.value, interval.high), high=interval.high)
    return Figure(value=measured.value, interval=interval, samples=len(samples) or measured.repeat)


def _estimate(figure: Figure) -> MedianEstimate | None:
    if figure.interval is None:
        return None
    return MedianEstimate(value=figure.value, low=figure.interval.low, high=figure.interval.high)


def distribution(result: Result | None) -> Distribution | None:
    """Return how the samples of *result* are distributed; None where it has neither samples nor quartiles.

    Between two samples, quantiles are interpolated (Hyndman and Fan 1996, type 7): the 99th percentile of 20 samples is
    close to the largest sample.
    """
    if not isinstance(result, Measured):
        return None
    processes = len(result.process_sizes) if result.process_sizes else None
    samples = [sample for sample in result.samples or () if math.isfinite(sample)]
    if samples:
        return Distribution(quantiles=tuple(np.quantile(samples, LEVELS).tolist()), processes=processes)
    if result.quartiles is None or not math.isfinite(result.value):
        return None
    known = {0.25: result.quartiles.low, 0.5: result.value, 0.75: result.quartiles.high}
    found = (known.get(level) for level in LEVELS)
    return Distribution(
        quantiles=tuple(value if value is not None and math.isfinite(value) else None for value in found),
        processes=processes,
    )


def profiles(benchmark: Benchmark, result: Result | None) -> tuple[tuple[float, ...], ...]:
    """Return the samples of each process in the order of time; empty unless *benchmark* is a profile."""
    if benchmark.type_word != PROFILE or not isinstance(result, Measured):
        return ()
    return tuple(each for each in result.processes if all(map(math.isfinite, each)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseGroup:
    """Cases of one benchmark that are shown together: all from one run, or none."""

    benchmark: Benchmark
    cases: tuple[Parameters, ...]

    @property
    def key(self) -> tuple[BenchmarkName, tuple[Parameters, ...]]:
        """What identifies the group within a results tree."""
        return self.benchmark.name, self.cases


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResults:
    """The results of a group of cases in the newest run at a target that tried any of them."""

    target: MeasuredTarget
    commit: CommitHash
    results: tuple[Result | None, ...]
    """The result of each case; None where the run does not have the case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestResults:
    """The newest results of groups of cases at a target."""

    found: Mapping[tuple[BenchmarkName, tuple[Parameters, ...]], GroupResults]

    def get(self, group: CaseGroup) -> GroupResults | None:
        """Return the newest results of *group*; None where no run at the target tried it."""
        return self.found.get(group.key)


def newest_results(target: MeasuredTarget, groups: Sequence[CaseGroup]) -> NewestResults:
    """Search the runs of *target*, newest first and each at most once, until all *groups* are found."""
    found: dict[tuple[BenchmarkName, tuple[Parameters, ...]], GroupResults] = {}
    by_name: dict[BenchmarkName, list[CaseGroup]] = {}
    for group in groups:
        by_name.setdefault(group.benchmark.name, []).append(group)
    for run in target.runs:
        if len(found) == len(groups):
            break
        for row in run.rows:
            for group in by_name.get(row.name, ()):
                if group.key not in found and (results := _group_results(target, run.commit, row, group)):
                    found[group.key] = results
    return NewestResults(found=found)


def _group_results(target: MeasuredTarget, commit: CommitHash, row: Row, group: CaseGroup) -> GroupResults | None:
    # As in asv, results of another version are not comparable, and a row without a version fits every version.
    if not group.benchmark.is_current(row.version):
        return None
    known = dict(row.cases())
    results = tuple(known.get(case) for case in group.cases)
    tried = any(isinstance(result, Measured | Failed) for result in results)
    return GroupResults(target=target, commit=commit, results=results) if tried else None
