"""aiohttp's own server: one process, one loop."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.web import Visits
from windtunnel_scenarios.web.visited import Visited, visited


@contextmanager
def prepare(load: Visits) -> Iterator[Visited]:
    """The server and the connections."""
    with visited(load, "windtunnel_scenarios.web.aiohttp_dev_server") as run:
        yield run
