"""Tasks that wait for an event at the end of five coroutines that await one another."""

from asyncio import Event
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.waiting import Waiting
from windtunnel_scenarios.waiting.tasks import waiting
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
    with waiting(count, deep) as number:
        yield number


async def deep(done: Event, depth: int = 5) -> None:
    """Wait so many frames below."""
    if depth == 1:
        await done.wait()
    else:
        await deep(done, depth - 1)
