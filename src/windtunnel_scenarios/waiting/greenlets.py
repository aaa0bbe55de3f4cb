"""Greenlets that wait for gevent's event."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import gevent
from gevent.event import Event

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
    """Greenlets, all of which have started."""
    done = Event()
    greenlets = [gevent.spawn(done.wait) for _ in range(count)]
    gevent.sleep(0)
    try:
        yield sum(greenlet.started and not greenlet.dead for greenlet in greenlets)
    finally:
        done.set()
        gevent.joinall(greenlets)
