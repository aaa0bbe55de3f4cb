"""A coroutine awaited for each unit under an ``asyncio.timeout``."""

from asyncio import timeout
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.tasks import Units
from windtunnel_scenarios.tasks.await_each import unit


@contextmanager
def prepare(load: Units) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        total = 0
        for number in range(load.count):
            async with timeout(60):
                total += await unit(number)
        return (total,)

    with kept_loop() as loop:
        yield driven(loop, job)
