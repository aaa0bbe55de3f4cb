"""All pages at once from up to 100 threads that share one ``requests.Session``."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import repeat

from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.http.requests_session import session
from windtunnel_scenarios.scrape import Days
from windtunnel_scenarios.scrape.requests_session import get
from windtunnel_scenarios.scrape.scraped import scraped, weighed

THREADS = 100


@contextmanager
def prepare(load: Days) -> Iterator[Watched]:
    """The server."""
    with scraped(load, __name__) as run:
        yield run


@contextmanager
def job(url: str, count: str) -> Iterator[Callable[[], tuple[list[int], int]]]:
    """A session, in the client's process; the threads are part of the job, for they are what is weighed."""
    with session() as opened:
        get(opened, f"{url}/0")

        def all_days() -> list[int]:
            with ThreadPoolExecutor(max_workers=THREADS) as pool:
                return list(pool.map(get, repeat(opened), [f"{url}/{day}" for day in range(int(count))]))

        yield lambda: weighed(all_days)
