"""A task that wants to run every millisecond, and notes how late it was."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from windtunnel_scenarios.files import WORKERS, Writes
from windtunnel_scenarios.files.targets import Targets, targets
from windtunnel_scenarios.model import Outcome, Recording
from windtunnel_scenarios.support.loops import kept_loop
from windtunnel_scenarios.threads import warm_threads

BEAT = 0.001
"""Seconds: the shortest period that asyncio's timers keep on Linux."""


class Lag:
    """A job beside a heartbeat; records the longest lag, in seconds."""

    def __init__(self, loop: asyncio.AbstractEventLoop, job: Callable[[], Coroutine[Any, Any, Outcome]]) -> None:
        self.recorded: tuple[float, ...] = ()
        self._loop, self._job = loop, job

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self._beside_heartbeat())

    async def _beside_heartbeat(self) -> Outcome:
        beat = asyncio.create_task(longest_lag(done := asyncio.Event()))
        await asyncio.sleep(BEAT)  # the heartbeat has started before the job
        outcome = await self._job()
        done.set()
        self.recorded = (await beat,)
        return outcome


async def longest_lag(done: asyncio.Event) -> float:
    """Beat until told to stop; how long the loop came back too late, at the worst."""
    longest = 0.0
    while not done.is_set():
        start = perf_counter()
        await asyncio.sleep(BEAT)
        longest = max(longest, perf_counter() - start - BEAT)
    return longest


@contextmanager
def beside_heartbeat(load: Writes, writes: Callable[[Targets], Coroutine[Any, Any, Outcome]]) -> Iterator[Recording]:
    """The files, a loop and its pool; ``writes`` is the job."""
    with targets(load) as files, warm_threads(WORKERS) as pool, kept_loop(pool) as loop:
        yield Lag(loop, lambda: writes(files))
