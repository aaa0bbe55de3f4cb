"""`latency_*`: the samples are the latencies that the benchmark returns, one per request."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Iterable
from typing import Any

from asv_runner.benchmarks.time import TimeBenchmark, wall_timer

from asv_bench_async.errors import LatencyError
from asv_bench_async.functions import Function, where
from asv_bench_async.hooks import AsyncHooks


class LatencyBenchmark(AsyncHooks, TimeBenchmark):
    """A function, plain or `async def`, that makes requests and returns the seconds that each of them took.

    It is called as asv calls a `time_*` function: warm-up, number, repeat and setups have their meaning, and the
    latencies of the calls that would be samples there are the samples here.
    """

    name_regex = re.compile("^(Latency[A-Z_].+)|(latency_.+)$")

    def __init__(self, name: str, func: Function, attr_sources: list[Any]) -> None:
        super().__init__(name, func, attr_sources)
        self.type = "latency"

    def run(self, *param: Any) -> dict[str, Any]:
        calls = super().run(*param)["samples"]
        batches = self._collector.batches[-len(calls) :]  # those before were warm-up
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
    """What asv wants of a `timeit.Timer`, keeping the latencies of each batch of calls."""

    def __init__(self, call: Callable[[], list[float]], redo_setup: Callable[[], None], *, redoes_each: bool) -> None:
        self.batches: list[list[float]] = []
        self._call, self._redo_setup, self._redoes_each = call, redo_setup, redoes_each

    def timeit(self, number: int) -> float:
        elapsed = 0.0
        batch: list[float] = []
        for index in range(number):
            if self._redoes_each or index == 0:
                self._redo_setup()
            start = wall_timer()
            batch += self._call()
            elapsed += wall_timer() - start
        self.batches.append(batch)
        return elapsed


def latencies_of(returned: object, function: Function) -> list[float]:
    """The returned latencies as floats, or an error that names what is wrong with them."""
    if not isinstance(returned, Iterable) or isinstance(returned, (str, bytes, dict)):
        raise LatencyError(f"{where(function)} returned {returned!r}: return a list of latencies in seconds")
    latencies = list(returned)
    if not latencies:
        raise LatencyError(f"{where(function)} returned no latencies: return the seconds of each request")
    for index, latency in enumerate(latencies):
        if not isinstance(latency, numbers.Real) or not math.isfinite(latency) or latency < 0:
            raise LatencyError(f"{where(function)}: latency {index} is {latency!r}: return seconds, finite and not < 0")
    return [float(latency) for latency in latencies]
