"""A hundred pages of prices, downloaded and added up in a process of its own: how much time and memory it takes.

The process imports its client when it opens the job, and makes its first request inside the job. gevent must patch what
it imports, so this module imports neither a client nor asyncio.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.servers import running_server
from windtunnel_scenarios.support.subprocess_run import Measured, OpenJob, measure_peak, measured_subprocess

if TYPE_CHECKING:
    import requests

PRICES_PER_PAGE = 10_000
"""About 50 kB."""

CONCURRENCY = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """How many pages, and after how many seconds the server answers with each."""

    count: int
    delay: float
    server_limit: int = 0
    """How many requests the server handles at the same time; 0 is any number."""

    @property
    def outcome(self) -> Outcome:
        """The sum of each page's prices."""
        return tuple(sum(prices(day)) for day in range(self.count))


def prices(day: int) -> range:
    """Return the prices of a day, in cents."""
    return range(1000 + day, 1000 + day + PRICES_PER_PAGE)


def sum_prices(page: bytes) -> int:
    """Add up the prices on a page."""
    return sum(map(int, page.split()))


def page_urls(url: str, count: str) -> list[str]:
    """Return the URL of each page."""
    return [f"{url}/{day}" for day in range(int(count))]


def requests_get(session: "requests.Session", url: str) -> int:
    """Get a page and add up its prices."""
    with session.get(url) as response:
        response.raise_for_status()
        return sum_prices(response.content)


@contextmanager
def requests_session(url: str, count: str) -> Iterator[Measured]:
    """Get one page after the other in one ``requests.Session``."""
    from windtunnel_scenarios.http_clients import open_requests_session

    with open_requests_session() as session:
        yield lambda: measure_peak(lambda: [requests_get(session, page) for page in page_urls(url, count)])


@contextmanager
def requests_session_per_request(url: str, count: str) -> Iterator[Measured]:
    """Get one page after the other, each in a session that is opened and closed for it."""
    from windtunnel_scenarios.http_clients import open_requests_session

    def get_page(page: str) -> int:
        with open_requests_session() as session:
            return requests_get(session, page)

    yield lambda: measure_peak(lambda: [get_page(page) for page in page_urls(url, count)])


@contextmanager
def requests_threads(url: str, count: str) -> Iterator[Measured]:
    """Get all pages from up to 100 threads that share a session; starting the threads is part of the job."""
    from concurrent.futures import ThreadPoolExecutor

    from windtunnel_scenarios.http_clients import open_requests_session

    def get_pages() -> list[int]:
        with ThreadPoolExecutor(max_workers=CONCURRENCY) as pool:
            return list(pool.map(requests_get, repeat(session), page_urls(url, count)))

    with open_requests_session() as session:
        yield lambda: measure_peak(get_pages)


@contextmanager
def gevent_pool(url: str, count: str) -> Iterator[Measured]:
    """Get all pages from up to 100 greenlets that share a session, in a process that gevent has patched."""
    from gevent import monkey

    monkey.patch_all()  # before anything else is imported

    from gevent.pool import Pool

    from windtunnel_scenarios.http_clients import open_requests_session

    with open_requests_session() as session:
        yield lambda: measure_peak(lambda: Pool(CONCURRENCY).map(partial(requests_get, session), page_urls(url, count)))


@contextmanager
def aiohttp_session(url: str, count: str) -> Iterator[Measured]:
    """Get all pages at once in one aiohttp session with its default limit of 100 connections."""
    from asyncio import gather

    from windtunnel_scenarios.http_clients import open_aiohttp_session
    from windtunnel_scenarios.support.loops import event_loop

    with event_loop() as loop, open_aiohttp_session(loop) as session:

        async def get(page_url: str) -> int:
            async with session.get(page_url) as response:
                return sum_prices(await response.read())

        async def get_pages() -> list[int]:
            return list(await gather(*(get(page_url) for page_url in page_urls(url, count))))

        yield lambda: measure_peak(lambda: loop.run_until_complete(get_pages()))


@contextmanager
def client_process(load: Pages, open_job: OpenJob) -> Iterator[Run]:
    """Run the server, and a client in a process of its own for each run."""
    with (
        running_server("windtunnel_scenarios.programs.http_server", str(load.server_limit)) as server,
        measured_subprocess(open_job, f"http://127.0.0.1:{server.port}/{load.delay}", load.count) as run,
    ):
        yield run


def variant(name: str, open_job: OpenJob, *requires: str) -> Variant[Pages]:
    """A variant whose client does this job."""
    return Variant(name=name, technique=partial(client_process, open_job=open_job), requires=requires)


REQUESTS_SESSION = variant("requests_session", requests_session, "requests")
REQUESTS_SESSION_PER_REQUEST = variant("requests_session_per_request", requests_session_per_request, "requests")
REQUESTS_THREADS_100 = variant("requests_threads_100", requests_threads, "requests")
GEVENT_100 = variant("gevent_100", gevent_pool, "gevent", "requests")
AIOHTTP_SESSION = variant("aiohttp_session", aiohttp_session, "aiohttp")

SCRAPE = Scenario(
    name="scrape",
    skip_warmup=tuple(LoadName),
    loads=Loads(
        trial=Pages(count=5, delay=0.001),
        quick=Pages(count=100, delay=0.005),
        standard=Pages(count=100, delay=0.02),
        article=Pages(count=100, delay=0.28),
    ),
    variants=(REQUESTS_SESSION, REQUESTS_SESSION_PER_REQUEST, REQUESTS_THREADS_100, GEVENT_100, AIOHTTP_SESSION),
)

SCRAPE_TWO_AT_ONCE = Scenario(
    name="scrape_two_at_once",
    skip_warmup=tuple(LoadName),
    loads=Loads(
        trial=Pages(count=5, delay=0.001, server_limit=2),
        quick=Pages(count=20, delay=0.02, server_limit=2),
        standard=Pages(count=100, delay=0.02, server_limit=2),
        article=Pages(count=100, delay=0.28, server_limit=2),
    ),
    variants=(REQUESTS_SESSION, REQUESTS_THREADS_100, GEVENT_100, AIOHTTP_SESSION),
)

SCENARIOS = (SCRAPE, SCRAPE_TWO_AT_ONCE)
