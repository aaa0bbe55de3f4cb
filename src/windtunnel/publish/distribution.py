"""How the samples of a case are spread, and how they follow each other where their order is that of time."""

import math
from dataclasses import dataclass

import numpy as np

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.result import Measured, Result

LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
"""Shares of the samples that lie at or below a quantile: quartiles, the tails of latencies, the extremes."""
PROFILE = "profile"
"""asv's ``type`` of a benchmark whose samples of a process are in the order of time: memory while a job runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The *quantiles* of the samples at LEVELS, None where nobody recorded what would tell it.

    *processes* is how many processes the samples are of, None where nobody recorded that. Between two samples
    quantiles are interpolated (Hyndman and Fan 1996, type 7): a 99th percentile of 20 samples is not far from the
    slowest.
    """

    quantiles: tuple[float | None, ...]
    processes: int | None


def distribution(result: Result | None) -> Distribution | None:
    """Return how the samples of *result* are spread, None where it has neither samples nor quartiles."""
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
    """Return the samples of each process in the order of time; none of a benchmark that is no profile."""
    if benchmark.type_word != PROFILE or not isinstance(result, Measured):
        return ()
    return tuple(each for each in result.processes if all(map(math.isfinite, each)))
