"""Two tasks and two instances of ``asyncio.Event``."""

from asyncio import Event, gather
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.switching import Switches


@contextmanager
def prepare(load: Switches) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        ping, pong = Event(), Event()
        ping.set()
        return tuple(await gather(partner(ping, pong, load.count), partner(pong, ping, load.count)))

    with kept_loop() as loop:
        yield driven(loop, job)


async def partner(mine: Event, other: Event, count: int) -> int:
    """Wait to be woken, wake the other, ``count`` times."""
    woken = 0
    for _ in range(count):
        await mine.wait()
        mine.clear()
        woken += 1
        other.set()
    return woken
