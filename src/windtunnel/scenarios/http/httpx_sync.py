"""One request after the other in one ``httpx.Client``, which keeps its connection."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from windtunnel.scenarios.contract import Outcome, Run
from windtunnel.scenarios.http import Requests
from windtunnel.scenarios.http.target import target


@contextmanager
def prepare(load: Requests) -> Iterator[Run]:
    """The server and the client."""
    with target(load) as url, httpx.Client(trust_env=False) as client:

        def run() -> Outcome:
            return tuple(client.get(url).raise_for_status().text for _ in range(load.count))

        yield run
