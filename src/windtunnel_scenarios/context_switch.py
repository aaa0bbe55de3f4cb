"""Two units of work that wake each other in turn: what a switch costs."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import on_loop, uvloop_factory
from windtunnel_scenarios.support.pools import warm_threads


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """How often each unit is woken."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How often each of the two was woken."""
        return (self.count, self.count)


async def tasks(load: Switches) -> Outcome:
    """Use two tasks and two instances of ``asyncio.Event``."""
    ping, pong = asyncio.Event(), asyncio.Event()
    ping.set()
    return tuple(await asyncio.gather(async_partner(ping, pong, load.count), async_partner(pong, ping, load.count)))


async def async_partner(mine: asyncio.Event, other: asyncio.Event, count: int) -> int:
    """Wait to be woken and wake the other, ``count`` times."""
    woken = 0
    for _ in range(count):
        await mine.wait()
        mine.clear()
        woken += 1
        other.set()
    return woken


@contextmanager
def threads(load: Switches) -> Iterator[Run]:
    """Use two threads and two instances of ``threading.Event``."""
    with warm_threads(2) as pool:

        def run() -> Outcome:
            ping, pong = threading.Event(), threading.Event()
            ping.set()
            first = pool.submit(partner, ping, pong, load.count)
            second = pool.submit(partner, pong, ping, load.count)
            return first.result(), second.result()

        yield run


def partner(mine: threading.Event, other: threading.Event, count: int) -> int:
    """Wait to be woken and wake the other, ``count`` times."""
    woken = 0
    for _ in range(count):
        mine.wait()
        mine.clear()
        woken += 1
        other.set()
    return woken


CONTEXT_SWITCH = Scenario(
    name="context_switch",
    loads=Loads(
        trial=Switches(count=10),
        quick=Switches(count=1_000),
        standard=Switches(count=10_000),
        article=Switches(count=100_000),
    ),
    variants=(
        Variant(name="tasks", technique=on_loop(tasks)),
        Variant(name="uvloop_tasks", technique=on_loop(tasks, factory=uvloop_factory), requires=("uvloop",)),
        Variant(name="threads", technique=threads),
    ),
)

SCENARIOS = (CONTEXT_SWITCH,)
