"""The newest results of cases as overview.json has them: values with intervals, ratios, how samples are distributed."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, Parameters
from windtunnel.model.run import Failed, Measured, Result, Skipped
from windtunnel.model.target import MeasuredTarget
from windtunnel.publish.format import results as data
from windtunnel.stats.intervals import median_interval, positive_limit, ratio_limits

CONFIDENCE = 0.95
"""The least confidence of every interval: the customary level, and the highest one that six samples give."""
LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
"""The levels of quantiles: quartiles, the tails of latencies, the extremes."""
PROFILE = "profile"
"""asv's ``type`` of a benchmark whose samples of a process are in the order of time: memory while a job runs."""

CaseGroup = tuple[BenchmarkName, tuple[Parameters, ...]]
"""Cases of one benchmark that are shown together: all from one run, or none."""
NewestResults = Mapping[CaseGroup, tuple[CommitHash, tuple[Result | None, ...]]]
"""Groups of cases at a target: the newest run that tried any of them, and the result of each; None without one."""


def shown_result(result: Result | None) -> data.ResultData:
    """Return what to show of *result*; None means that no run has the case."""
    match result:
        case None:
            return "missing"
        case Measured():
            return _measured(result) if math.isfinite(result.value) else "infinite"
        case Failed():
            return "failed"
        case Skipped():
            return "skipped"


def ratio(contender: data.ResultData, baseline: data.ResultData) -> data.Ratio | None:
    """Return contender / baseline; None where one of them has no value or the baseline is not above zero."""
    if not (isinstance(contender, data.MeasuredResult) and isinstance(baseline, data.MeasuredResult)):
        return None
    if baseline.value <= 0:
        return None
    limits = None
    if contender.interval and baseline.interval:
        limits = ratio_limits(contender.value, contender.interval, baseline.value, baseline.interval)
    return data.Ratio(value=contender.value / baseline.value, interval=limits)


def fastest(results: Sequence[data.ResultData]) -> tuple[int, ...]:
    """Return the index of the smallest of *results* and of those whose intervals overlap its own, ascending.

    Returns nothing for fewer than two values, and where the smallest has no interval.
    """
    there = {index: each for index, each in enumerate(results) if isinstance(each, data.MeasuredResult)}
    least = min(there.values(), key=lambda each: each.value, default=None)
    if least is None or least.interval is None or len(there) == 1:
        return ()
    limit = least.interval[1]
    return tuple(index for index, each in there.items() if (each.interval or (each.value,))[0] <= limit)


def _measured(measured: Measured) -> data.MeasuredResult:
    samples = tuple(sample for sample in measured.samples or () if math.isfinite(sample))
    interval = measured.interval
    if samples:
        interval = median_interval(samples, CONFIDENCE)
    if interval and not (-math.inf < interval.low <= measured.value <= interval.high < math.inf):
        interval = None  # asv writes infinite limits; an interval around another value is not of these samples
    limits = None if interval is None else (interval.low, interval.high)
    if limits and limits[0] <= 0 < measured.value:
        limits = (positive_limit(measured.value, limits[1]), limits[1])
    return data.MeasuredResult(value=measured.value, interval=limits, samples=len(samples) or measured.repeat)


def distribution(result: Result | None) -> data.Distribution | None:
    """Return how the samples of *result* are distributed; None where it has neither samples nor quartiles.

    Between two samples, quantiles are interpolated (Hyndman and Fan 1996, type 7): the 99th percentile of 20 samples is
    close to the largest sample.
    """
    if not isinstance(result, Measured):
        return None
    processes = len(result.process_sizes) if result.process_sizes else None
    samples = [sample for sample in result.samples or () if math.isfinite(sample)]
    if samples:
        return data.Distribution(quantiles=tuple(np.quantile(samples, LEVELS).tolist()), processes=processes)
    if result.quartiles is None or not math.isfinite(result.value):
        return None
    known = {0.25: result.quartiles.low, 0.5: result.value, 0.75: result.quartiles.high}
    found = (known.get(level) for level in LEVELS)
    return data.Distribution(
        quantiles=tuple(value if value is not None and math.isfinite(value) else None for value in found),
        processes=processes,
    )


def profiles(benchmark: Benchmark, result: Result | None) -> tuple[tuple[float, ...], ...]:
    """Return the samples of each process in the order of time; empty unless *benchmark* is a profile."""
    if benchmark.type_word != PROFILE or not isinstance(result, Measured):
        return ()
    return tuple(each for each in result.processes if all(map(math.isfinite, each)))


def newest_results(
    target: MeasuredTarget, groups: Sequence[CaseGroup], benchmarks: Mapping[BenchmarkName, Benchmark]
) -> NewestResults:
    """Search the runs of *target*, newest first and each at most once, until all *groups* are found.

    As in asv, results of another version are not comparable, and a row without a version fits every version.
    """
    found: dict[CaseGroup, tuple[CommitHash, tuple[Result | None, ...]]] = {}
    by_name: dict[BenchmarkName, list[CaseGroup]] = {}
    for group in groups:
        by_name.setdefault(group[0], []).append(group)
    for run in target.runs:
        if len(found) == len(groups):
            break
        for row in run.rows:
            wanted = [group for group in by_name.get(row.name, ()) if group not in found]
            if wanted and benchmarks[row.name].is_current(row.version):
                known = dict(row.cases())
                for group in wanted:
                    results = tuple(known.get(case) for case in group[1])
                    if any(isinstance(result, Measured | Failed) for result in results):
                        found[group] = run.commit, results
    return found
