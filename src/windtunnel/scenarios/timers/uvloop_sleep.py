"""``asyncio.sleep`` in so many tasks on uvloop's event loop."""

from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from windtunnel.scenarios.contract import Run
from windtunnel.scenarios.loop import driven, kept_loop
from windtunnel.scenarios.timers import Timers
from windtunnel.scenarios.timers.asyncio_sleep import rings


@contextmanager
def prepare(load: Timers) -> Iterator[Run]:
    """A loop."""
    with kept_loop(factory=uvloop.new_event_loop) as loop:
        yield driven(loop, lambda: rings(load))
