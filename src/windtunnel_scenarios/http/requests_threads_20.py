"""All requests at once from 20 threads that share one ``requests.Session``.

The session's pool keeps ten connections: the others are opened for one request and thrown away, as published.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.requests_session import get, session
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Requests) -> Iterator[Run]:
    """The server, the session and the threads."""
    with target(load) as url, session() as shared, warm_threads(20) as pool:

        def run() -> Outcome:
            return tuple(pool.map(get, repeat(shared, load.count), repeat(url)))

        yield run
