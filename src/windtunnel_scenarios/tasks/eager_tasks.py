"""All units given to ``asyncio.gather``; tasks begin at once, and these end before the loop sees them."""

import asyncio
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
        return (sum(await asyncio.gather(*(unit(number) for number in range(load.count)))),)

    with kept_loop() as loop:
        loop.set_task_factory(getattr(asyncio, "eager_task_factory"))  # noqa: B009 - absent from 3.11's types
        yield driven(loop, job)
