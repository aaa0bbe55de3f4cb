"""Flask under gunicorn with one synchronous worker, which keeps no connection."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Recording
from windtunnel.scenarios.web import Visits
from windtunnel.scenarios.web.visited import visited


@contextmanager
def prepare(load: Visits) -> Iterator[Recording]:
    """The server and the connections."""
    with visited(load, "gunicorn_server", "flask_app", "1") as run:
        yield run
