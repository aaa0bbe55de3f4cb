"""One request after the other in one ``httpx.Client``, which keeps its connection."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Requests) -> Iterator[Run]:
    """The server and the client."""
    with target(load) as url, httpx.Client(trust_env=False) as client:

        def run() -> Outcome:
            return tuple(client.get(url).raise_for_status().text for _ in range(load.count))

        yield run
