"""Processes that are copies of this one, and wait."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import active_children

from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.support.pools import Start, warm_processes
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
    """Processes, all of which have started."""
    with warm_processes(count, Start.FORK):
        yield len(active_children())
