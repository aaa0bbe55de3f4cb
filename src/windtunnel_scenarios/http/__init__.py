"""Requests to a server that takes its time: as many as asked for, all answered after the same delay."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """How many requests, and after how many seconds the server answers each."""

    name: LoadName
    count: int
    delay: float
    at_once: int = 0
    """How many requests the server works on at the same time; 0 is any number."""

    @property
    def outcome(self) -> Outcome:
        """The bodies: each states its delay."""
        return (str(self.delay),) * self.count


HTTP = Scenario(
    name="http",
    variants=(
        Variant(name="urllib"),
        Variant(name="requests_session", needs=("requests",)),
        Variant(name="httpx_sync", needs=("httpx",)),
        Variant(name="aiohttp_session_per_request", needs=("aiohttp",)),
        Variant(name="aiohttp_shared", needs=("aiohttp",)),
        Variant(name="httpx_async", needs=("httpx",)),
    ),
    loads=(
        Requests(name=LoadName.TRIAL, count=3, delay=0.001),
        Requests(name=LoadName.QUICK, count=3, delay=0.1),
        Requests(name=LoadName.STANDARD, count=3, delay=0.2),
        Requests(name=LoadName.ARTICLE, count=3, delay=0.2),
    ),
)

HTTP_ONE = Scenario(
    name="http_one",
    folder="http",
    variants=(
        Variant(name="urllib"),
        Variant(name="aiohttp_session_per_request", needs=("aiohttp",)),
    ),
    loads=(
        Requests(name=LoadName.TRIAL, count=1, delay=0.001),
        Requests(name=LoadName.QUICK, count=1, delay=0.1),
        Requests(name=LoadName.STANDARD, count=1, delay=0.2),
        Requests(name=LoadName.ARTICLE, count=1, delay=0.2),
    ),
)

DOWNLOADS = Scenario(
    name="downloads",
    folder="http",
    variants=(
        Variant(name="requests_session", needs=("requests",)),
        Variant(name="requests_threads_10", needs=("requests",)),
        Variant(name="requests_threads_20", needs=("requests",)),
        Variant(name="aiohttp_session_per_request", needs=("aiohttp",)),
        Variant(name="aiohttp_shared", needs=("aiohttp",)),
        Variant(name="aiohttp_limit_5", needs=("aiohttp",)),
        Variant(name="aiohttp_limit_20", needs=("aiohttp",)),
        Variant(name="aiohttp_limit_0", needs=("aiohttp",)),
        Variant(name="aiohttp_uvloop", needs=("aiohttp", "uvloop")),
        Variant(name="httpx_async", needs=("httpx",)),
    ),
    loads=(
        Requests(name=LoadName.TRIAL, count=7, delay=0.001),
        Requests(name=LoadName.QUICK, count=20, delay=0.03),
        Requests(name=LoadName.STANDARD, count=100, delay=0.03),
        Requests(name=LoadName.ARTICLE, count=100, delay=0.125),
    ),
)

DOWNLOADS_CAPPED = Scenario(
    name="downloads_capped",
    folder="http",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="requests_session", needs=("requests",)),
        Variant(name="requests_threads_10", needs=("requests",)),
        Variant(name="aiohttp_shared", needs=("aiohttp",)),
    ),
    loads=(
        Requests(name=LoadName.TRIAL, count=7, delay=0.001, at_once=5),
        Requests(name=LoadName.QUICK, count=20, delay=0.03, at_once=5),
        Requests(name=LoadName.STANDARD, count=100, delay=0.05, at_once=5),
        Requests(name=LoadName.ARTICLE, count=100, delay=0.28, at_once=5),
    ),
)

DOWNLOADS_BEYOND_LIMIT = Scenario(
    name="downloads_beyond_limit",
    folder="http",
    variants=(
        Variant(name="aiohttp_shared", needs=("aiohttp",)),
        Variant(name="aiohttp_limit_0", needs=("aiohttp",)),
    ),
    loads=(
        Requests(name=LoadName.TRIAL, count=101, delay=0.001),
        Requests(name=LoadName.QUICK, count=101, delay=0.2),
        Requests(name=LoadName.STANDARD, count=200, delay=0.5),
        Requests(name=LoadName.ARTICLE, count=400, delay=0.5),
    ),
)
