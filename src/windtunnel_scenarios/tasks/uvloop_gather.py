"""All units given to ``asyncio.gather`` on uvloop's event loop."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.tasks import Units
from windtunnel_scenarios.tasks.await_each import unit


@contextmanager
def prepare(load: Units) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        return (sum(await gather(*(unit(number) for number in range(load.count)))),)

    with kept_loop(factory=uvloop.new_event_loop) as loop:
        yield driven(loop, job)
