"""All at once in an ``asyncio.TaskGroup``."""

from asyncio import TaskGroup, sleep
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sleep import Sleeps
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Sleeps) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        async with TaskGroup() as group:
            tasks = [group.create_task(sleep(period, period)) for period in load.periods]
        return tuple(task.result() for task in tasks)

    with kept_loop() as loop:
        yield driven(loop, job)
