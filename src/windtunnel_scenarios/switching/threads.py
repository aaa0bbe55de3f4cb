"""Two threads and two instances of ``threading.Event``."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.switching import Switches
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Switches) -> Iterator[Run]:
    """Two threads."""
    with warm_threads(2) as pool:

        def run() -> Outcome:
            ping, pong = Event(), Event()
            ping.set()
            first = pool.submit(partner, ping, pong, load.count)
            second = pool.submit(partner, pong, ping, load.count)
            return first.result(), second.result()

        yield run


def partner(mine: Event, other: Event, count: int) -> int:
    """Wait to be woken, wake the other, ``count`` times."""
    woken = 0
    for _ in range(count):
        mine.wait()
        mine.clear()
        woken += 1
        other.set()
    return woken
