"""Flask's development server: one process, a thread for each request, no connection kept."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.web import Visits
from windtunnel_scenarios.web.visited import Visited, visited


@contextmanager
def prepare(load: Visits) -> Iterator[Visited]:
    """The server and the connections."""
    with visited(load, "windtunnel_scenarios.web.flask_dev_server") as run:
        yield run
