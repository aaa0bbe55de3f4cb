"""Flask's development server: one process, a thread for each request, no connection kept."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Recording
from windtunnel.scenarios.web import Visits
from windtunnel.scenarios.web.visited import visited


@contextmanager
def prepare(load: Visits) -> Iterator[Recording]:
    """The server and the connections."""
    with visited(load, "flask_dev_server") as run:
        yield run
