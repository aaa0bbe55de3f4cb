"""The server, and a client of its own process for each run."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from windtunnel_scenarios.fresh import Watched, watched
from windtunnel_scenarios.scrape import Days
from windtunnel_scenarios.support.procfs import peak, resident
from windtunnel_scenarios.support.servers import serving


@contextmanager
def scraped(load: Days, client: str) -> Iterator[Watched]:
    """The server; the client's module is that of a variant."""
    with (
        serving("windtunnel_scenarios.scrape.price_server") as port,
        watched(client, f"http://127.0.0.1:{port}/{load.delay}", str(load.count)) as run,
    ):
        yield run


def weighed(fetch: Callable[[], Iterable[int]]) -> tuple[list[int], int]:
    """What it fetches, and by how many bytes this process grew for it at the most."""
    before = resident(os.getpid())
    return list(fetch()), max(peak() - before, 0)


def total(page: bytes) -> int:
    """What is made of a page: the sum of its prices."""
    return sum(map(int, page.split()))
