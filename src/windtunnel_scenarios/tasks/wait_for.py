"""A coroutine awaited for each unit with ``asyncio.wait_for``."""

from asyncio import wait_for
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
        return (sum([await wait_for(unit(number), 60) for number in range(load.count)]),)

    with kept_loop() as loop:
        yield driven(loop, job)
