"""A task for each client on asyncio's own loop."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.echo import Lines
from windtunnel_scenarios.echo.streams import talking
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Lines) -> Iterator[Run]:
    """The server, a loop and the connections."""
    with talking(load) as run:
        yield run
