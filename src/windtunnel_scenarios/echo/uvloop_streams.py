"""A task for each client on uvloop's loop."""

from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from windtunnel_scenarios.echo import Lines
from windtunnel_scenarios.echo.streams import talking
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Lines) -> Iterator[Run]:
    """The server, a loop and the connections."""
    with talking(load, uvloop.new_event_loop) as run:
        yield run
