"""All requests from threads that share one ``requests.Session``: the variants differ in how many."""

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

from windtunnel_scenarios.downloads_far.requests_session import trusting
from windtunnel_scenarios.http.requests_session import get


def from_threads(threads: int, url: str, count: int, trusted: str) -> tuple[str, ...]:
    """In the client's process."""
    with trusting(trusted) as opened, ThreadPoolExecutor(max_workers=threads) as pool:
        return tuple(pool.map(get, repeat(opened, count), repeat(url)))
