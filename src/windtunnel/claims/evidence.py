"""Estimates the ratio of two cases with an interval.

The process is the unit of observation: its samples share memory layout, hash seed and core. The ratio of the geometric
means over processes is, on a logarithmic scale, a difference of means (stats.student). The sides are not paired, even
if the cases of a suite alternate: merged results do not record which processes ran in the same round. Results of asv
itself do not record processes; then samples are the observations, and the basis of the interval is ``samples``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.claims.block_values import MIN_TIME_SPREAD, SIGNS, STATISTICS
from windtunnel.claims.claim import Statistic
from windtunnel.claims.claim_lookup import CaseEvidence
from windtunnel.claims.format import Basis
from windtunnel.claims.replay import limited_exp
from windtunnel.model.result import Interval, Measured
from windtunnel.stats.medians import MedianEstimate, median_interval, min_samples, ratio_of_medians
from windtunnel.stats.student import half_width, more_needed, summarise

POOLABLE = frozenset({Statistic.MEDIAN, Statistic.MINIMUM})
"""Statistics that the median of samples may replace if processes are not recorded."""

ASV_CONFIDENCE = 0.99
"""The confidence of the intervals that asv stores; they remain when samples are deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioEstimate:
    """A ratio with its interval."""

    case_values: tuple[float, float]
    """The values of contender and baseline."""
    ratio: float
    """Contender / baseline, divided by the dividing ratio if there is one."""
    interval: Interval
    """The interval of the ratio."""
    confidence: float
    """The confidence of the interval."""
    basis: Basis
    """What the interval is computed from."""
    processes_needed: Callable[[float], int | None]
    """Given an end of the band, returns how many more processes each case needs for the interval to exclude it; None if
    that is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoEstimate:
    """Why a ratio has no interval."""

    reason: str
    """The reason."""
    case_values: tuple[float, float] | None = None
    """The values of contender and baseline, if there are any."""
    processes_needed: int | None = None
    """How many more processes each case needs for an interval; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimator:
    """Estimates ratios of cases."""

    statistic: Statistic
    """The statistic that represents a process."""
    miss: float
    """The probability that an interval misses the true ratio."""

    def ratio(self, cases: Sequence[CaseEvidence]) -> RatioEstimate | NoEstimate:
        """Return contender / baseline of two *cases*, or of four: one such ratio divided by another."""
        results = [case.result for case in cases if case.result is not None]
        if len(results) < len(cases):
            return NoEstimate(reason=next(case.absence for case in cases if case.result is None))
        for contender, baseline in zip(cases[::2], cases[1::2], strict=True):
            if contender.unit != baseline.unit:
                return NoEstimate(reason=f"{contender.unit} and {baseline.unit} have no ratio")
        return self.ratio_of_results(results, is_time=any(case.is_time for case in cases))

    def ratio_of_results(self, results: Sequence[Measured], *, is_time: bool) -> RatioEstimate | NoEstimate:
        """Return the ratio of two *results*, or of four; *is_time* says whether their values are times."""
        if all(result.process_sizes is not None for result in results):
            cases = [process_values(result, self.statistic) for result in results]
            return self._from_processes(cases, is_time=is_time) if all(cases) else NoEstimate(reason="no finite values")
        if self.statistic not in POOLABLE or len(results) > 2:
            what = self.statistic if len(results) == 2 else "a ratio of ratios"
            return NoEstimate(reason=f"the results do not record processes, which {what} needs")
        return self._from_samples(results[0], results[1])

    def _from_processes(self, cases: Sequence[Sequence[float]], *, is_time: bool) -> RatioEstimate | NoEstimate:
        if min(map(min, cases)) <= 0:
            return NoEstimate(reason="a value is zero or negative and has no ratio")
        exact = not is_time and all(len(values) > 1 and len(set(values)) == 1 for values in cases)
        logs = [summarise([*map(math.log, values)], 0.0 if exact else MIN_TIME_SPREAD) for values in cases]
        case_values = limited_exp(logs[0].mean), limited_exp(logs[1].mean)
        half = half_width(logs, self.miss)
        if half == math.inf:
            reason = "one process on a side does not show how much processes differ"
            return NoEstimate(reason=reason, case_values=case_values, processes_needed=1)
        middle = sum(side.mean * sign for side, sign in zip(logs, SIGNS, strict=False))
        return RatioEstimate(
            case_values=case_values,
            ratio=limited_exp(middle),
            interval=Interval(low=limited_exp(middle - half), high=limited_exp(middle + half)),
            confidence=1 - self.miss,
            basis=Basis.PROCESSES,
            processes_needed=lambda end: more_needed(logs, self.miss, abs(middle - math.log(end))),
        )

    def _from_samples(self, contender: Measured, baseline: Measured) -> RatioEstimate | NoEstimate:
        if not all(0 < result.value < math.inf for result in (contender, baseline)):
            return NoEstimate(reason="a value is zero, negative or infinite and has no ratio")
        above, below = (_median(result, 1 - self.miss) for result in (contender, baseline))
        found = above and below and ratio_of_medians(above[0], below[0])
        if not (above and below and found and found.high < math.inf):
            reason = f"too few samples for an interval; it needs {min_samples(1 - self.miss)}"
            return NoEstimate(reason=reason, case_values=(contender.value, baseline.value))
        return RatioEstimate(
            case_values=(above[0].value, below[0].value),
            ratio=found.value,
            interval=Interval(low=found.low, high=found.high),
            confidence=min(above[1], below[1]),
            basis=Basis.SAMPLES,
            processes_needed=lambda _: None,
        )


def process_count(result: Measured) -> int:
    """Return how many processes measured *result*; 0 if it does not record processes."""
    return 0 if result.process_sizes is None else sum(size > 0 for size in result.process_sizes)


def process_values(result: Measured, statistic: Statistic) -> tuple[float, ...]:
    """Return the *statistic* of each process; empty if any is not finite."""
    finite = (tuple(filter(math.isfinite, values)) for values in result.processes)
    with np.errstate(over="ignore"):  # numbers at the edge of what a float holds
        found = tuple(STATISTICS[statistic](values) for values in finite if values)
    return found if all(map(math.isfinite, found)) else ()


def _median(result: Measured, confidence: float) -> tuple[MedianEstimate, float] | None:
    """Return the median of *result* with its limits, and the confidence that they reach."""
    samples = tuple(filter(math.isfinite, result.samples or ()))
    if samples:
        found = median_interval(samples, confidence)
        if found is None:
            return None
        return MedianEstimate(value=float(np.median(samples)), low=found.low, high=found.high), found.confidence
    stored = result.interval
    if stored is None or not (0 < stored.low <= result.value <= stored.high < math.inf):
        return None
    return MedianEstimate(value=result.value, low=stored.low, high=stored.high), ASV_CONFIDENCE
