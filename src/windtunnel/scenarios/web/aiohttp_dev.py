"""aiohttp's own server: one process, one loop."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Recording
from windtunnel.scenarios.web import Visits
from windtunnel.scenarios.web.visited import visited


@contextmanager
def prepare(load: Visits) -> Iterator[Recording]:
    """The server and the connections."""
    with visited(load, "aiohttp_dev_server") as run:
        yield run
