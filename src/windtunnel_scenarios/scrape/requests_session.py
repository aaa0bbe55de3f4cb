"""One page after the other in one ``requests.Session``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import requests

from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.http.requests_session import session
from windtunnel_scenarios.scrape import Days
from windtunnel_scenarios.scrape.scraped import scraped, total, weighed


@contextmanager
def prepare(load: Days) -> Iterator[Watched]:
    """The server."""
    with scraped(load, __name__) as run:
        yield run


@contextmanager
def job(url: str, count: str) -> Iterator[Callable[[], tuple[list[int], int]]]:
    """A session, in the client's process."""
    with session() as opened:
        get(opened, f"{url}/0")
        yield lambda: weighed(lambda: [get(opened, f"{url}/{day}") for day in range(int(count))])


def get(opened: requests.Session, url: str) -> int:
    """The sum of a page."""
    with opened.get(url) as response:
        response.raise_for_status()
        return total(response.content)
