"""Interpreters, each of which waits in a thread of its own."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module

from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.support.interpreters import pipe
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
    """Interpreters, all of which have started."""
    create = import_module("concurrent.interpreters").create
    with ExitStack() as stack:
        arrivals, arrived = stack.enter_context(pipe())
        going, go = stack.enter_context(pipe())
        opened = [create() for _ in range(count)]
        threads = [one.call_in_thread(unit, arrived, going) for one in opened]
        started = sum(len(os.read(arrivals, 1)) for _ in opened)
        try:
            yield started
        finally:
            os.write(go, b"." * count)
            for thread in threads:
                thread.join()
            for one in opened:
                one.close()


def unit(arrived: int, going: int) -> None:
    """Start, and wait. Interpreters share descriptors, and no locks."""
    os.write(arrived, b".")
    os.read(going, 1)
