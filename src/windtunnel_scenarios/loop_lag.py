"""What else the loop can do while files are written: how late another task runs at worst."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any

from windtunnel_scenarios.files import AIOFILES, MEBIBYTE, WORKERS, Writes, aiofiles_writes, loads, target_files, write
from windtunnel_scenarios.model import Outcome, RecordingRun, Scenario, Variant
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.pools import warm_threads

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


SCENARIOS = (LOOP_LAG_FILES,)
