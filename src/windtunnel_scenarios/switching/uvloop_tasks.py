"""Two tasks and two instances of ``asyncio.Event`` on uvloop's event loop."""

from asyncio import Event, gather
from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.switching import Switches
from windtunnel_scenarios.switching.tasks import partner


@contextmanager
def prepare(load: Switches) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        ping, pong = Event(), Event()
        ping.set()
        return tuple(await gather(partner(ping, pong, load.count), partner(pong, ping, load.count)))

    with kept_loop(factory=uvloop.new_event_loop) as loop:
        yield driven(loop, job)
