"""Flask under gunicorn with one synchronous worker, which keeps no connection."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.web import Visits
from windtunnel_scenarios.web.visited import Visited, visited


@contextmanager
def prepare(load: Visits) -> Iterator[Visited]:
    """The server and the connections."""
    with visited(load, "windtunnel_scenarios.programs.planet_server", "flask_app", "1") as run:
        yield run
