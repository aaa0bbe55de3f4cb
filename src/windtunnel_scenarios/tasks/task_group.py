"""A task for each unit in an ``asyncio.TaskGroup``."""

from asyncio import TaskGroup
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
        async with TaskGroup() as group:
            tasks = [group.create_task(unit(number)) for number in range(load.count)]
        return (sum([task.result() for task in tasks]),)

    with kept_loop() as loop:
        yield driven(loop, job)
