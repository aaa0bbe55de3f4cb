"""What the values of two cases say of their ratio, and how well it is known: never a point without an interval.

The process is the unit: its values share memory layout, hash seed and core. Geometric means over processes are divided;
on logarithms that is a difference of means (stats.welch). The sides are not paired, though a suite's cases take turns:
merged results do not keep which processes ran in the same round. Where nobody recorded processes, as in asv's own
results, samples have to stand in, and the basis says so.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.claims.claim import Statistic
from windtunnel.claims.format import Basis
from windtunnel.model.result import Interval, Measured
from windtunnel.stats.medians import MedianEstimate, fewest_samples, median_interval, ratio_of_medians
from windtunnel.stats.student import half_width, more_needed, observations

TICK = 1e-3
"""Smallest relative spread that times are given credit for: clocks and frequencies of two processes agree no better."""

STATISTICS: Mapping[Statistic, Callable[[Sequence[float]], float]] = {
    Statistic.MEDIAN: lambda values: float(np.median(values)),
    Statistic.MINIMUM: min,
    Statistic.MEAN: lambda values: float(np.mean(values)),
    Statistic.MAXIMUM: max,
    Statistic.P90: lambda values: float(np.quantile(values, 0.90)),
    Statistic.P95: lambda values: float(np.quantile(values, 0.95)),
    Statistic.P99: lambda values: float(np.quantile(values, 0.99)),
}

POOLED = frozenset({Statistic.MEDIAN, Statistic.MINIMUM})
"""What the median of samples of unknown processes may stand in for."""

SIGNS = (1, -1, -1, 1)
"""Of contender, baseline, and the two sides of a ratio that theirs is divided by, on logarithms."""

ASV = 0.99
"""Confidence of the intervals that asv stores; where samples were thrown away they are all there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a test wants to know: of which statistic, at which chance to miss, and whether the values are times."""

    statistic: Statistic
    miss: float
    timed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The values of both sides and their ratio; *needed* says how many more processes a side keep it off an edge."""

    values: tuple[float, float]
    ratio: float
    interval: Interval
    confidence: float
    basis: Basis
    needed: Callable[[float], int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Why there is no interval, the values as far as there are any, and how many more processes give an interval."""

    reason: str
    values: tuple[float, float] | None = None
    needed: int | None = None


def evidence(sides: Sequence[Measured], asked: Asked) -> Known | Unknown:
    """Return what two results say of contender / baseline, or four of one such ratio divided by another."""
    if all(side.process_sizes is not None for side in sides):
        values = [of_processes(side, asked.statistic) for side in sides]
        return _by_processes(values, asked) if all(values) else Unknown(reason="no finite values")
    if asked.statistic not in POOLED or len(sides) > 2:
        what = asked.statistic if len(sides) == 2 else "a ratio of ratios"
        return Unknown(reason=f"nobody recorded which samples share a process, which {what} needs")
    return _by_samples(sides[0], sides[1], asked)


def processes_of(result: Measured) -> int:
    """Return how many processes measured *result*, zero where nobody knows."""
    return 0 if result.process_sizes is None else sum(size > 0 for size in result.process_sizes)


def of_processes(result: Measured, statistic: Statistic) -> tuple[float, ...]:
    """Return the value that stands for each process, none where any has none."""
    finite = (tuple(filter(math.isfinite, values)) for values in result.processes)
    with np.errstate(over="ignore"):  # numbers at the edge of what a float holds
        found = tuple(STATISTICS[statistic](values) for values in finite if values)
    return found if all(map(math.isfinite, found)) else ()


def _by_processes(sides: Sequence[Sequence[float]], asked: Asked) -> Known | Unknown:
    if min(map(min, sides)) <= 0:
        return Unknown(reason="a value is zero or below, and has no ratio")
    exact = not asked.timed and all(len(side) > 1 and len(set(side)) == 1 for side in sides)
    seen = [observations([*map(math.log, side)], 0.0 if exact else TICK) for side in sides]
    values = math.exp(seen[0].mean), math.exp(seen[1].mean)
    half = half_width(seen, asked.miss)
    if half == math.inf:
        reason = "one process on a side does not tell how processes differ"
        return Unknown(reason=reason, values=values, needed=1)
    middle = sum(side.mean * sign for side, sign in zip(seen, SIGNS, strict=False))
    return Known(
        values=values,
        ratio=_power(middle),
        interval=Interval(low=_power(middle - half), high=_power(middle + half)),
        confidence=1 - asked.miss,
        basis=Basis.PROCESSES,
        needed=lambda edge: more_needed(seen, asked.miss, abs(middle - math.log(edge))),
    )


def _by_samples(contender: Measured, baseline: Measured, asked: Asked) -> Known | Unknown:
    if not all(0 < side.value < math.inf for side in (contender, baseline)):
        return Unknown(reason="a value is zero or below or infinite, and has no ratio")
    values = contender.value, baseline.value
    above, below = (_median(side, 1 - asked.miss) for side in (contender, baseline))
    found = above and below and ratio_of_medians(above.estimate, below.estimate)
    if not (above and below and found and found.high < math.inf):
        fewest = fewest_samples(1 - asked.miss)
        return Unknown(reason=f"too few samples for an interval, which takes {fewest}", values=values)
    return Known(
        values=(above.estimate.value, below.estimate.value),
        ratio=found.value,
        interval=Interval(low=found.low, high=found.high),
        confidence=min(above.confidence, below.confidence),
        basis=Basis.SAMPLES,
        needed=lambda _: None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Median:
    """The median of a side with its limits, and the confidence that they reach."""

    estimate: MedianEstimate
    confidence: float


def _median(result: Measured, confidence: float) -> _Median | None:
    samples = tuple(filter(math.isfinite, result.samples or ()))
    if samples:
        found = median_interval(samples, confidence)
        if found is None:
            return None
        estimate = MedianEstimate(value=float(np.median(samples)), low=found.low, high=found.high)
        return _Median(estimate=estimate, confidence=found.confidence)
    stored = result.interval
    if stored is None or not (0 < stored.low <= result.value <= stored.high < math.inf):
        return None
    return _Median(estimate=MedianEstimate(value=result.value, low=stored.low, high=stored.high), confidence=ASV)


def _power(exponent: float) -> float:
    """Return e to the *exponent*, kept within what a float holds."""
    return math.exp(max(-700.0, min(exponent, 700.0)))
