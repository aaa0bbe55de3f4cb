"""What else the loop can do while files are written or sums are computed: how late another task runs at worst."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from windtunnel_scenarios.cpu_sum import YIELD_EVERY, Sums, yielding_sum_below
from windtunnel_scenarios.files import AIOFILES, MEBIBYTE, WORKERS, Writes, aiofiles_writes, loads, target_files, write
from windtunnel_scenarios.model import Loads, Outcome, RecordingRun, Scenario, Variant
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.pools import OpenPool, pool_variants, warm_threads
from windtunnel_scenarios.support.worker_functions import sum_below

HEARTBEAT = 0.001
"""Seconds: the shortest period of asyncio's timers on Linux."""


class LagRun:
    """A run of a job beside a heartbeat; records its ``seconds`` and the longest ``lag`` of the heartbeat."""

    def __init__(self, loop: asyncio.AbstractEventLoop, job: Callable[[], Coroutine[Any, Any, Outcome]]) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._loop, self._job = loop, job

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self._run())

    async def _run(self) -> Outcome:
        heartbeat = asyncio.create_task(measure_longest_lag(done := asyncio.Event()))
        await asyncio.sleep(HEARTBEAT)  # the heartbeat has started before the job
        start = perf_counter()
        outcome = await self._job()
        seconds = perf_counter() - start
        done.set()
        self.recorded = {"lag": (await heartbeat,), "seconds": (seconds,)}
        return outcome


async def measure_longest_lag(done: asyncio.Event) -> float:
    """Sleep for a millisecond until done; return by how much the longest sleep was too long."""
    longest = 0.0
    while not done.is_set():
        start = perf_counter()
        await asyncio.sleep(HEARTBEAT)
        longest = max(longest, perf_counter() - start - HEARTBEAT)
    return longest


@contextmanager
def blocking_writes(load: Writes) -> Iterator[RecordingRun]:
    """Write the files on the loop's own thread."""
    with target_files(load) as files, warm_threads(WORKERS) as pool, event_loop(pool) as loop:

        async def job() -> Outcome:
            return tuple(write(path, files.data, load.fsync) for path in files.paths)

        yield LagRun(loop, job)


@contextmanager
def aiofiles_gather(load: Writes) -> Iterator[RecordingRun]:
    """Write the files with aiofiles."""
    with warm_threads(WORKERS) as pool, event_loop(pool) as loop, aiofiles_writes(load, loop) as coroutines:

        async def job() -> Outcome:
            return tuple(await asyncio.gather(*coroutines()))

        yield LagRun(loop, job)


@contextmanager
def writes_to_thread(load: Writes) -> Iterator[RecordingRun]:
    """Write the files in threads, with ``asyncio.to_thread``."""
    with target_files(load) as files, warm_threads(WORKERS) as pool, event_loop(pool) as loop:

        async def job() -> Outcome:
            writes = (asyncio.to_thread(write, path, files.data, load.fsync) for path in files.paths)
            return tuple(await asyncio.gather(*writes))

        yield LagRun(loop, job)


LOOP_LAG_FILES = Scenario(
    name="loop_lag_files",
    loads=replace(loads(10), standard=Writes(count=10, size=16 * MEBIBYTE)),
    variants=(
        Variant(name="blocking", technique=blocking_writes),
        Variant(name="aiofiles_gather", technique=aiofiles_gather, requires=AIOFILES.requires),
        Variant(name="to_thread", technique=writes_to_thread),
    ),
)


@contextmanager
def beside_heartbeat(load: Sums, sums: Callable[[Sums], Coroutine[Any, Any, Outcome]]) -> Iterator[RecordingRun]:
    """Compute the sums on a loop."""
    with event_loop() as loop:
        yield LagRun(loop, partial(sums, load))


async def blocking_sums(load: Sums) -> Outcome:
    """Compute the sums on the loop's own thread."""
    return tuple(sum_below(load.bound) for _ in range(load.count))


async def yielding_sums(load: Sums) -> Outcome:
    """Compute the sums on the loop's own thread, and yield to the loop after every ten thousand additions."""
    return tuple([await yielding_sum_below(load.bound, YIELD_EVERY) for _ in range(load.count)])


@contextmanager
def pooled_sums(load: Sums, open_pool: OpenPool) -> Iterator[RecordingRun]:
    """Compute one sum after the other in a pool of one worker."""
    with event_loop() as loop, open_pool(1) as pool:

        async def job() -> Outcome:
            return tuple([await loop.run_in_executor(pool, sum_below, load.bound) for _ in range(load.count)])

        yield LagRun(loop, job)


LOOP_LAG_CPU = Scenario(
    name="loop_lag_cpu",
    loads=Loads(
        trial=Sums(count=1, bound=1_000),
        quick=Sums(count=1, bound=1_000_000),
        standard=Sums(count=3, bound=1_000_000),
        article=Sums(count=3, bound=10_000_000),
    ),
    variants=(
        Variant(name="blocking", technique=partial(beside_heartbeat, sums=blocking_sums)),
        Variant(name="sleep_0", technique=partial(beside_heartbeat, sums=yielding_sums)),
        *pool_variants(pooled_sums, "threads", "processes_spawn", "interpreters"),
    ),
)

SCENARIOS = (LOOP_LAG_FILES, LOOP_LAG_CPU)
