"""Threads that wait for an event."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Barrier, Event, Thread

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
    """Threads, all of which have started."""
    started, done = Barrier(count + 1), Event()
    threads = [Thread(target=unit, args=(started, done)) for _ in range(count)]
    for thread in threads:
        thread.start()
    started.wait()
    try:
        yield sum(thread.is_alive() for thread in threads)
    finally:
        done.set()
        for thread in threads:
            thread.join()


def unit(started: Barrier, done: Event) -> None:
    """Start, and wait."""
    started.wait()
    done.wait()
