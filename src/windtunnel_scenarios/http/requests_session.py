"""One request after the other in one ``requests.Session``, which keeps its connection."""

from collections.abc import Iterator
from contextlib import contextmanager

import requests

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Requests) -> Iterator[Run]:
    """The server and the session."""
    with target(load) as url, session() as shared:

        def run() -> Outcome:
            return tuple(get(shared, url) for _ in range(load.count))

        yield run


@contextmanager
def session() -> Iterator[requests.Session]:
    """A session that heeds no proxy, password file or certificate variable of whoever runs it."""
    with requests.Session() as opened:
        opened.trust_env = False
        yield opened


def get(shared: requests.Session, url: str) -> str:
    """The body of a success."""
    with shared.get(url) as response:
        response.raise_for_status()
        return response.text
