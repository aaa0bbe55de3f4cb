"""One request after the other in one ``requests.Session``."""

from collections.abc import Iterator
from contextlib import contextmanager

import requests

from windtunnel_scenarios.downloads_far import Far
from windtunnel_scenarios.downloads_far.program import Program, far_away, main
from windtunnel_scenarios.http.requests_session import get, session


@contextmanager
def prepare(load: Far) -> Iterator[Program]:
    """The server and the line."""
    with far_away(load, __name__) as run:
        yield run


@contextmanager
def trusting(trusted: str) -> Iterator[requests.Session]:
    """A session that trusts the server."""
    with session() as opened:
        opened.verify = trusted
        yield opened


def fetch(url: str, count: int, trusted: str) -> tuple[str, ...]:
    """In the client's process."""
    with trusting(trusted) as opened:
        return tuple(get(opened, url) for _ in range(count))


if __name__ == "__main__":
    main(fetch)
