"""Puts the types in front of asv's own."""

from __future__ import annotations

from asv_runner.benchmarks import benchmark_types
from asv_runner.benchmarks.time import TimeBenchmark
from asv_runner.benchmarks.timeraw import TimerawBenchmark

from asv_bench_async.hooks import AsyncHooks
from asv_bench_async.latency import LatencyBenchmark
from asv_bench_async.timing import AsyncTime


class TimerawHooks(AsyncHooks):
    """Mixin before asv's TimerawBenchmark, whose function returns source text for another process."""

    _may_be_async = False


def install() -> None:
    """Replace asv's types in place and add `latency_*`; again, it does nothing.

    In place, because asv takes the first type whose name fits: a later one would never get `time_*`.
    """
    for index, kind in enumerate(benchmark_types):
        if kind.__module__.startswith("asv_runner."):
            mixin = {TimeBenchmark: AsyncTime, TimerawBenchmark: TimerawHooks}.get(kind, AsyncHooks)
            benchmark_types[index] = type(f"Async{kind.__name__}", (mixin, kind), {"__module__": __name__})
    if LatencyBenchmark not in benchmark_types:
        benchmark_types.append(LatencyBenchmark)
