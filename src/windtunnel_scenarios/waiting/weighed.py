"""A process of its own for each run, in which units wait while they are weighed."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from windtunnel_scenarios.fresh import Watched, watched
from windtunnel_scenarios.support.procfs import proportional
from windtunnel_scenarios.waiting import Waiting

Units = Callable[[int], AbstractContextManager[int]]
"""Opens so many units, yields how many of them wait, and ends them."""


@contextmanager
def weighed(load: Waiting, module: str) -> Iterator[Watched]:
    """A run in a new process of a variant's module."""
    with watched(module, str(load.count)) as run:
        yield run


@contextmanager
def weighing(units: Units, count: str) -> Iterator[Callable[[], tuple[list[int], int]]]:
    """One unit to warm up, and what is measured: the bytes that all of them take, in this process and its children."""
    with units(1):
        pass

    def measured() -> tuple[list[int], int]:
        before = proportional(os.getpid())
        with units(int(count)) as waiting:
            return [waiting], max(proportional(os.getpid()) - before, 0)

    yield measured
