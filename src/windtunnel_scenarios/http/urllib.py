"""One request after the other with urllib, which opens a connection for each."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import OpenerDirector, ProxyHandler, build_opener

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Requests) -> Iterator[Run]:
    """The server, and an opener that knows no proxy."""
    with target(load) as url:
        opener = build_opener(ProxyHandler({}))

        def run() -> Outcome:
            return tuple(get(opener, url) for _ in range(load.count))

        yield run


def get(opener: OpenerDirector, url: str) -> str:
    """The body; urllib raises what is no success."""
    with opener.open(url) as response:
        return str(response.read(), "ascii")
