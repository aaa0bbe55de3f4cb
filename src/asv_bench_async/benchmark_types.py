"""The benchmark types: asv's own with support for coroutines, and `latency_*`; `install` registers them."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Iterable
from typing import Any

from asv_runner.benchmarks import benchmark_types
from asv_runner.benchmarks.time import TimeBenchmark, wall_timer
from asv_runner.benchmarks.timeraw import TimerawBenchmark

from asv_bench_async.errors import LatencyError
from asv_bench_async.functions import Function, where
from asv_bench_async.hooks import AsyncHooks
from asv_bench_async.timing import AsyncTime, collector_off


class LatencyBenchmark(AsyncHooks, TimeBenchmark):
    """A function, plain or `async def`, that makes requests and returns the seconds of each; each is a sample.

    It is called like a `time_*` function: warm-up, number, repeat and setups mean the same, and the garbage collector
    is off during a batch.
    """

    name_regex = re.compile("^(Latency[A-Z_].+)|(latency_.+)$")

    def __init__(self, name: str, func: Function, attr_sources: list[Any]) -> None:
        super().__init__(name, func, attr_sources)
        self.type = "latency"

    def run(self, *param: Any) -> dict[str, Any]:
        calls = super().run(*param)["samples"]
        batches = self._collector.batches[-len(calls) :]  # the earlier ones were warm-up
        return {"samples": [latency for batch in batches for latency in batch], "number": 1}

    def _get_timer(self, *param: Any) -> Collector:
        return self._collect(param, redoes_each=False)

    def _get_interleaved_timer(self, *param: Any) -> Collector:
        return self._collect(param, redoes_each=True)

    def _collect(self, param: tuple[Any, ...], *, redoes_each: bool) -> Collector:
        func = self.func
        self._collector = Collector(lambda: latencies_of(func(*param), func), self.redo_setup, redoes_each=redoes_each)
        return self._collector


class Collector:
    """Replaces `timeit.Timer` for asv and keeps the latencies of each batch of calls."""

    def __init__(self, call: Callable[[], list[float]], redo_setup: Callable[[], None], *, redoes_each: bool) -> None:
        self.batches: list[list[float]] = []
        self._call, self._redo_setup, self._redoes_each = call, redo_setup, redoes_each

    def timeit(self, number: int) -> float:
        elapsed = 0.0
        batch: list[float] = []
        with collector_off():
            for index in range(number):
                if self._redoes_each or index == 0:
                    self._redo_setup()
                start = wall_timer()
                batch += self._call()
                elapsed += wall_timer() - start
        self.batches.append(batch)
        return elapsed


def latencies_of(returned: object, function: Function) -> list[float]:
    """Return the latencies as floats; raises LatencyError."""
    if not isinstance(returned, Iterable) or isinstance(returned, (str, bytes, dict)):
        raise LatencyError(f"{where(function)} returned {returned!r}: return a list of latencies in seconds")
    latencies = list(returned)
    if not latencies:
        raise LatencyError(f"{where(function)} returned no latencies: return the seconds of each request")
    for index, latency in enumerate(latencies):
        if not isinstance(latency, numbers.Real) or not math.isfinite(latency) or latency < 0:
            raise LatencyError(f"{where(function)}: latency {index} is {latency!r}: return seconds, finite and not < 0")
    return [float(latency) for latency in latencies]


class TimerawHooks(AsyncHooks):
    """Mixin for asv's TimerawBenchmark, whose function returns source text for another process."""

    _may_be_async = False


def install() -> None:
    """Replace asv's types in place and add `latency_*`; a second call does nothing.

    In place, because asv uses the first type whose name matches.
    """
    for index, kind in enumerate(benchmark_types):
        if kind.__module__.startswith("asv_runner."):
            mixin = {TimeBenchmark: AsyncTime, TimerawBenchmark: TimerawHooks}.get(kind, AsyncHooks)
            benchmark_types[index] = type(f"Async{kind.__name__}", (mixin, kind), {"__module__": __name__})
    if LatencyBenchmark not in benchmark_types:
        benchmark_types.append(LatencyBenchmark)
