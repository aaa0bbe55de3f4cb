"""An ``asyncio.Queue`` of one place between two tasks."""

from asyncio import Queue, TaskGroup
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.handover import Items
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Items) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        queue: Queue[int] = Queue(maxsize=1)
        async with TaskGroup() as group:
            group.create_task(produce(queue, load.count))
            total = group.create_task(consume(queue, load.count))
        return (total.result(),)

    with kept_loop() as loop:
        yield driven(loop, job)


async def produce(queue: Queue[int], count: int) -> None:
    """Put the numbers below ``count``."""
    for number in range(count):
        await queue.put(number)


async def consume(queue: Queue[int], count: int) -> int:
    """Add up ``count`` items."""
    total = 0
    for _ in range(count):
        total += await queue.get()
    return total
