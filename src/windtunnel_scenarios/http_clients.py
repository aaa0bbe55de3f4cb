"""Requests to a server that answers each after a delay, with different clients."""

from asyncio import AbstractEventLoop
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any
from urllib.request import ProxyHandler, build_opener

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Technique, Variant
from windtunnel_scenarios.support.loops import Coroutines, gathered, opened_on, uvloop_factory
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.servers import running_server

if TYPE_CHECKING:
    import aiohttp
    import requests


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloads:
    """How many requests, and after how many seconds the server answers each."""

    count: int
    delay: float
    server_limit: int = 0
    """How many requests the server handles at the same time; 0 is any number."""

    @property
    def outcome(self) -> Outcome:
        """The bodies: each states its delay."""
        return (str(self.delay),) * self.count


@contextmanager
def server_url(load: Downloads) -> Iterator[str]:
    """Run the server and yield the URL to get. It holds an address, so that no name is looked up."""
    with running_server("windtunnel_scenarios.programs.http_server", str(load.server_limit)) as server:
        yield f"http://127.0.0.1:{server.port}/{load.delay}"


@contextmanager
def urllib(load: Downloads) -> Iterator[Run]:
    """Make one request after the other with urllib, which opens a connection for each."""
    with server_url(load) as url:
        opener = build_opener(ProxyHandler({}))

        def get() -> str:
            with opener.open(url) as response:
                return str(response.read(), "ascii")

        def run() -> Outcome:
            return tuple(get() for _ in range(load.count))

        yield run


@contextmanager
def open_requests_session() -> "Iterator[requests.Session]":
    """Open a session that ignores proxy, netrc and certificate settings of the environment."""
    import requests

    with requests.Session() as session:
        session.trust_env = False
        yield session


def requests_get(session: "requests.Session", url: str) -> str:
    """Return the body; raises when the request did not succeed."""
    with session.get(url) as response:
        response.raise_for_status()
        return response.text


@contextmanager
def requests_session(load: Downloads) -> Iterator[Run]:
    """Make one request after the other in one ``requests.Session``, which keeps its connection."""
    with server_url(load) as url, open_requests_session() as session:

        def run() -> Outcome:
            return tuple(requests_get(session, url) for _ in range(load.count))

        yield run


@contextmanager
def requests_threads(load: Downloads, *, threads: int, connections: int = 10) -> Iterator[Run]:
    """Make all requests from threads that share one ``requests.Session``.

    The session's pool keeps ten unused connections by default, as in the published program.
    """
    from requests.adapters import HTTPAdapter

    with server_url(load) as url, open_requests_session() as session, warm_threads(threads) as pool:
        session.mount("http://", HTTPAdapter(pool_maxsize=connections))

        def run() -> Outcome:
            return tuple(pool.map(requests_get, repeat(session, load.count), repeat(url)))

        yield run


def succeeded(response: Any) -> Any:
    """Return a response of httpx; raises when the request did not succeed. Before 0.25 its own method returns None."""
    response.raise_for_status()
    return response


@contextmanager
def httpx_sync(load: Downloads) -> Iterator[Run]:
    """Make one request after the other in one ``httpx.Client``, which keeps its connection."""
    import httpx

    with server_url(load) as url, httpx.Client(trust_env=False) as client:

        def run() -> Outcome:
            return tuple(succeeded(client.get(url)).text for _ in range(load.count))

        yield run


@contextmanager
def httpx_async(load: Downloads, loop: AbstractEventLoop) -> Iterator[Coroutines]:
    """Make all requests at once in one ``httpx.AsyncClient``."""
    import httpx

    with server_url(load) as url, opened_on(loop, httpx.AsyncClient(trust_env=False)) as client:

        async def get() -> str:
            response = await client.get(url)
            return str(succeeded(response).text)

        yield lambda: (get() for _ in range(load.count))


@contextmanager
def aiohttp_session_per_request(load: Downloads, loop: AbstractEventLoop) -> Iterator[Coroutines]:  # noqa: ARG001 - an OpenCoroutines
    """Make all requests at once, each in an aiohttp session that is opened and closed for it."""
    import aiohttp

    with server_url(load) as url:

        async def get() -> str:
            async with aiohttp.ClientSession(raise_for_status=True) as session, session.get(url) as response:
                return await response.text()

        yield lambda: (get() for _ in range(load.count))


@contextmanager
def aiohttp_session(load: Downloads, loop: AbstractEventLoop, *, limit: int = 100) -> Iterator[Coroutines]:
    """Make all requests at once in one aiohttp session with at most ``limit`` connections (0: any number)."""
    with server_url(load) as url, open_aiohttp_session(loop, limit) as session:

        async def get() -> str:
            async with session.get(url) as response:
                return await response.text()

        yield lambda: (get() for _ in range(load.count))


@contextmanager
def open_aiohttp_session(loop: AbstractEventLoop, limit: int = 100) -> "Iterator[aiohttp.ClientSession]":
    """Open an aiohttp session on a loop that is not running now."""
    import aiohttp

    async def create() -> aiohttp.ClientSession:
        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=limit), raise_for_status=True)

    with opened_on(loop, loop.run_until_complete(create())) as session:
        yield session


def requests_variant(name: str, technique: Technique[Downloads]) -> Variant[Downloads]:
    """A variant that uses requests."""
    return Variant(name=name, technique=technique, requires=("requests",))


def aiohttp_limit(limit: int) -> Variant[Downloads]:
    """A variant with another limit of connections."""
    technique = gathered(partial(aiohttp_session, limit=limit))
    return Variant(name=f"aiohttp_limit_{limit}", technique=technique, requires=("aiohttp",))


REQUESTS_THREADS_100 = requests_variant("requests_threads_100", partial(requests_threads, threads=100, connections=100))
URLLIB = Variant(name="urllib", technique=urllib)
REQUESTS_SESSION = requests_variant("requests_session", requests_session)
REQUESTS_THREADS_10 = requests_variant("requests_threads_10", partial(requests_threads, threads=10))
REQUESTS_THREADS_20 = requests_variant("requests_threads_20", partial(requests_threads, threads=20))
HTTPX_SYNC = Variant(name="httpx_sync", technique=httpx_sync, requires=("httpx",))
HTTPX_ASYNC = Variant(name="httpx_async", technique=gathered(httpx_async), requires=("httpx",))
AIOHTTP_SESSION_PER_REQUEST = Variant(
    name="aiohttp_session_per_request", technique=gathered(aiohttp_session_per_request), requires=("aiohttp",)
)
AIOHTTP_SESSION = Variant(name="aiohttp_session", technique=gathered(aiohttp_session), requires=("aiohttp",))
AIOHTTP_UVLOOP = Variant(
    name="aiohttp_uvloop",
    technique=gathered(aiohttp_session, factory=uvloop_factory),
    requires=("aiohttp", "uvloop"),
)

HTTP_REQUESTS = Scenario(
    name="http_requests",
    loads=Loads(
        trial=Downloads(count=3, delay=0.001),
        quick=Downloads(count=3, delay=0.1),
        standard=Downloads(count=3, delay=0.2),
        article=Downloads(count=3, delay=0.2),
    ),
    variants=(URLLIB, REQUESTS_SESSION, HTTPX_SYNC, AIOHTTP_SESSION_PER_REQUEST, AIOHTTP_SESSION, HTTPX_ASYNC),
)

HTTP_ONE_REQUEST = Scenario(
    name="http_one_request",
    loads=Loads(
        trial=Downloads(count=1, delay=0.001),
        quick=Downloads(count=1, delay=0.1),
        standard=Downloads(count=1, delay=0.2),
        article=Downloads(count=1, delay=0.2),
    ),
    variants=(URLLIB, AIOHTTP_SESSION_PER_REQUEST),
)

DOWNLOADS = Scenario(
    name="downloads",
    loads=Loads(
        trial=Downloads(count=7, delay=0.001),
        quick=Downloads(count=20, delay=0.03),
        standard=Downloads(count=100, delay=0.03),
        article=Downloads(count=100, delay=0.125),
    ),
    variants=(
        REQUESTS_SESSION,
        REQUESTS_THREADS_10,
        REQUESTS_THREADS_20,
        REQUESTS_THREADS_100,
        AIOHTTP_SESSION_PER_REQUEST,
        AIOHTTP_SESSION,
        aiohttp_limit(5),
        aiohttp_limit(20),
        aiohttp_limit(0),
        AIOHTTP_UVLOOP,
        HTTPX_ASYNC,
    ),
)

DOWNLOADS_SERVER_LIMIT = Scenario(
    name="downloads_server_limit",
    skip_warmup=(LoadName.ARTICLE,),
    loads=Loads(
        trial=Downloads(count=7, delay=0.001, server_limit=5),
        quick=Downloads(count=20, delay=0.03, server_limit=5),
        standard=Downloads(count=100, delay=0.02, server_limit=5),
        article=Downloads(count=100, delay=0.28, server_limit=5),
    ),
    variants=(REQUESTS_SESSION, REQUESTS_THREADS_10, AIOHTTP_SESSION),
)

DOWNLOADS_CLIENT_LIMIT = Scenario(
    name="downloads_client_limit",
    loads=Loads(
        trial=Downloads(count=101, delay=0.001),
        quick=Downloads(count=101, delay=0.2),
        standard=Downloads(count=200, delay=0.5),
        article=Downloads(count=400, delay=0.5),
    ),
    variants=(AIOHTTP_SESSION, aiohttp_limit(0)),
)

SCENARIOS = (HTTP_REQUESTS, HTTP_ONE_REQUEST, DOWNLOADS, DOWNLOADS_SERVER_LIMIT, DOWNLOADS_CLIENT_LIMIT)
