"""Tasks that wait for an event."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.waiting import Waiting
from windtunnel_scenarios.waiting.weighed import weighed, weighing


@contextmanager
def prepare(load: Waiting) -> Iterator[Watched]:
    """Nothing."""
    with weighed(load, __name__) as run:
        yield run


@contextmanager
def job(count: str) -> Iterator[Callable[[], tuple[list[int], int]]]:
    """What is weighed."""
    with weighing(units, count) as measured:
        yield measured


@contextmanager
def units(count: int) -> Iterator[int]:
    """Tasks, all of which have started."""
    with waiting(count, asyncio.Event.wait) as number:
        yield number


@contextmanager
def waiting(count: int, unit: Callable[[asyncio.Event], Coroutine[Any, Any, object]]) -> Iterator[int]:
    """So many tasks on a loop of their own, each of which waits in ``unit``."""
    with asyncio.Runner() as runner:
        loop, done = runner.get_loop(), asyncio.Event()
        tasks = [loop.create_task(unit(done)) for _ in range(count)]
        runner.run(asyncio.sleep(0))
        try:
            yield sum(not task.done() for task in tasks)
        finally:
            done.set()
            loop.run_until_complete(asyncio.wait(tasks))
