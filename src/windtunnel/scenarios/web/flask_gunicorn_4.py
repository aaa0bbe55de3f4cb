"""Flask under gunicorn with four synchronous workers, which keep no connection."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Recording
from windtunnel.scenarios.web import Visits
from windtunnel.scenarios.web.visited import visited


@contextmanager
def prepare(load: Visits) -> Iterator[Recording]:
    """The server and the connections."""
    with visited(load, "gunicorn_server", "flask_app", "4") as run:
        yield run
