"""A task for each unit, made with ``asyncio.create_task`` and awaited later."""

from asyncio import create_task
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
        tasks = [create_task(unit(number)) for number in range(load.count)]
        return (sum([await task for task in tasks]),)

    with kept_loop() as loop:
        yield driven(loop, job)
