"""Compares the time of an await with pyperf's `bench_async_func`: `python -m asv_bench_async.overhead`.

Both time the same coroutine functions in one process, alternately, and the medians are compared. The exit code is 1
when a ratio exceeds MAX_RATIO.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import io
import itertools
import statistics
import sys
from collections.abc import Callable, Coroutine, Iterator
from types import SimpleNamespace
from typing import Any

import pyperf
from asv_runner.benchmarks import benchmark_types

MAX_RATIO = 1.5
PAIRS = 41
NUMBERS = itertools.count()

Job = Callable[..., Coroutine[Any, Any, None]]
Value = Callable[[], float]
"""Measures once and returns the seconds per await."""


async def nothing() -> None:
    """An await that never reaches the loop."""


async def parameter(_value: int) -> None:
    """The same with a parameter."""


async def iteration() -> None:
    """An await that takes one iteration of the loop."""
    await asyncio.sleep(0)


JOBS: tuple[tuple[Job, tuple[int, ...], int], ...] = (
    (nothing, (), 100_000),
    (parameter, (1,), 100_000),
    (iteration, (), 5_000),
)
"""Function, arguments, awaits per value: about 10 ms, asv's sample time."""


@contextlib.contextmanager
def ours(job: Job, args: tuple[int, ...], number: int, loop: str) -> Iterator[Value]:
    """Yield the value of a `time_*` benchmark with this package."""
    params = [[arg] for arg in args]
    attributes = SimpleNamespace(number=number, repeat=2, warmup_time=0, loop_factory=loop, params=params)
    kind = next(kind for kind in benchmark_types if kind.name_regex.match("time_await"))
    benchmark = kind("time_await", job, [attributes])
    benchmark.set_param_idx(0)
    benchmark.do_setup()
    yield lambda: float(benchmark.do_run()["samples"][-1])
    benchmark.do_teardown()


def pyperfs(runner: pyperf.Runner, job: Job, args: tuple[int, ...], number: int, loop: str) -> Value:
    """Return the value of pyperf."""
    factory = importlib.import_module(loop).new_event_loop

    def value() -> float:
        runner.args.loops = number
        name = f"{loop} {job.__name__} {next(NUMBERS)}"  # pyperf requires unique names
        with contextlib.redirect_stdout(io.StringIO()):
            return float(runner.bench_async_func(name, job, *args, loop_factory=factory).get_values()[0])

    return value


def medians(one: Value, other: Value, pairs: int) -> tuple[float, float]:
    """Return the median of each, measured alternately."""
    firsts: list[float] = []
    seconds: list[float] = []
    for index in range(pairs):
        for value, values in ((one, firsts), (other, seconds))[:: -1 if index % 2 else 1]:
            values.append(value())
    return statistics.median(firsts), statistics.median(seconds)


def compare(pairs: int) -> Iterator[tuple[str, float, float]]:
    """Yield a name, our seconds per await, and pyperf's."""
    runner = pyperf.Runner(processes=1)
    runner.parse_args(["--worker", "--quiet", "--values=1", "--warmups=0", "--loops=1"])
    for loop in filter(importlib.util.find_spec, ("asyncio", "uvloop")):
        for job, args, number in JOBS:
            with ours(job, args, number, loop) as value:
                yield f"{loop} {job.__name__}", *medians(value, pyperfs(runner, job, args, number, loop), pairs)


def main(pairs: int = PAIRS) -> int:
    out, worst = sys.stdout.write, 0.0
    for name, mine, theirs in compare(pairs):
        worst = max(worst, mine / theirs)
        out(f"{name:17} ours {mine * 1e9:7.1f} ns  pyperf {theirs * 1e9:7.1f} ns  ratio {mine / theirs:.3f}\n")
    out(f"worst ratio {worst:.3f}, limit {MAX_RATIO}\n")
    return int(worst > MAX_RATIO)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
