"""One more connection, whose user asks for next to nothing while others make the server compute."""

from asyncio import AbstractEventLoop, create_task, sleep
from time import perf_counter

from windtunnel_scenarios.model import Outcome
from windtunnel_scenarios.support.load_generator import Connection, Generator

PAUSE = 0.005
"""Seconds between an answer and the next request."""


class Probed:
    """A run that makes all calls of a generator, and records the latencies of the probe in the meantime."""

    def __init__(self, loop: AbstractEventLoop, calls: Generator, probe: Connection) -> None:
        self.recorded: tuple[float, ...] = ()
        self._loop, self._calls, self._probe = loop, calls, probe

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self._beside())

    async def _beside(self) -> Outcome:
        work, latencies = create_task(self._calls.made()), list[float]()
        while not work.done():
            start = perf_counter()
            await self._probe.get()
            latencies.append(perf_counter() - start)
            await sleep(PAUSE)
        self.recorded = tuple(latencies)
        return await work
