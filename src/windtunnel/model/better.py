"""Which way is better, as far as a benchmark's unit tells."""

import re

from windtunnel.model.benchmark import Benchmark, BenchmarkKind
from windtunnel.model.measure import Better

RATE = re.compile(
    r"/\s*s(ec(ond)?s?)?$|\bper[ _]?s(ec(ond)?)?\b|flop/?s|\b[iq]?ops\b|\b[kmgt]?hz$|speed-?up|throughput|bandwidth"
    r"|\b[rqf]ps$|bps$|accuracy",
    re.IGNORECASE,
)
"""Units of which more is better: rates, and ratios that call themselves so."""


def unit_better(benchmark: Benchmark | None) -> Better:
    """Return which way *benchmark* improves; less of times and memory, whatever their unit is called."""
    if benchmark is None or benchmark.kind not in (BenchmarkKind.TRACK, BenchmarkKind.OTHER):
        return Better.LOWER
    return Better.HIGHER if RATE.search(benchmark.unit or "") else Better.LOWER
