"""``asyncio.sleep`` in so many tasks on uvloop's event loop."""

from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from windtunnel_scenarios.model import Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.timers import Timers
from windtunnel_scenarios.timers.asyncio_sleep import rings


@contextmanager
def prepare(load: Timers) -> Iterator[Run]:
    """A loop."""
    with kept_loop(factory=uvloop.new_event_loop) as loop:
        yield driven(loop, lambda: rings(load))
