"""Requests in turn over one connection without TLS: what each client computes for a request with the usual headers."""

from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

from windtunnel_scenarios.http_clients import (
    Downloads,
    open_aiohttp_session,
    open_requests_session,
    requests_get,
    succeeded,
)
from windtunnel_scenarios.https_clients import ended_watchers
from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import event_loop, opened_on, run_on
from windtunnel_scenarios.support.servers import KEEP_ALIVE_TIMEOUT, running_server

HEADERS = {
    "Accept": "application/json, text/plain;q=0.9, */*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
    "Accept-Language": "en-GB,en;q=0.7",
    "Authorization": "Bearer 0123456789abcdef0123456789abcdef",
    "Cache-Control": "no-cache",
    "Origin": "http://localhost",
    "Referer": "http://localhost/orders",
    "User-Agent": "windtunnel",
    "X-Request-Id": "5b3c2c1e-8f4e-4d55-9d0e-2f1f5a1c9a10",
}
"""What a request has beside what the client adds."""

Get: TypeAlias = Callable[[str], str]
AsyncGet: TypeAlias = Callable[[str], Coroutine[Any, Any, str]]


@contextmanager
def server_url() -> Iterator[str]:
    """Run the server, and yield a URL whose answer comes at once, with the usual headers."""
    with running_server("windtunnel_scenarios.programs.http_server", "0") as server:
        yield f"http://127.0.0.1:{server.port}/0.0?headers"


@contextmanager
def sync(load: Downloads, open_client: Callable[[], AbstractContextManager[Get]]) -> Iterator[Run]:
    """Call a synchronous client for one request after the other."""
    with server_url() as url, open_client() as get:

        def run() -> Outcome:
            return tuple([get(url) for _ in range(load.count)])

        yield run


@contextmanager
def on_a_loop(
    load: Downloads, open_client: Callable[[AbstractEventLoop], AbstractContextManager[AsyncGet]]
) -> Iterator[Run]:
    """Await an asynchronous client for one request after the other."""
    with server_url() as url, event_loop() as loop, open_client(loop) as get:

        async def job() -> Outcome:
            return tuple([await get(url) for _ in range(load.count)])

        yield run_on(loop, job)


@contextmanager
def requests() -> Iterator[Get]:
    """Open a ``requests.Session``."""
    with open_requests_session() as session:
        session.headers.update(HEADERS)
        yield partial(requests_get, session)


@contextmanager
def httpx(library: str) -> Iterator[Get]:
    """Open a ``Client`` of httpx or httpx2."""
    with import_module(library).Client(**_httpx_settings(import_module(library))) as client:

        def get(url: str) -> str:
            return str(succeeded(client.get(url)).text)

        yield get


@contextmanager
def httpx_async(loop: AbstractEventLoop, library: str) -> Iterator[AsyncGet]:
    """Open an ``AsyncClient`` of httpx or httpx2."""
    opened = import_module(library).AsyncClient(**_httpx_settings(import_module(library)))
    with opened_on(loop, opened) as client:

        async def get(url: str) -> str:
            return str(succeeded(await client.get(url)).text)

        yield get


def _httpx_settings(library: Any) -> dict[str, Any]:
    limits = library.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=KEEP_ALIVE_TIMEOUT)
    return {"trust_env": False, "headers": HEADERS, "limits": limits}


@contextmanager
def niquests() -> Iterator[Get]:
    """Open a ``niquests.Session``."""
    import niquests

    with ended_watchers(), niquests.Session(**_niquests_settings()) as session:
        session.trust_env = False
        session.headers.update(**HEADERS)

        def get(url: str) -> str:
            response = session.get(url)
            response.raise_for_status()
            return response.text or ""

        yield get


@contextmanager
def niquests_async(loop: AbstractEventLoop) -> Iterator[AsyncGet]:
    """Open a ``niquests.AsyncSession``."""
    with opened_on(loop, _niquests_async()) as get:
        yield get


@asynccontextmanager
async def _niquests_async() -> AsyncIterator[AsyncGet]:
    import niquests

    async with niquests.AsyncSession(**_niquests_settings()) as session:
        session.trust_env = False
        session.headers.update(**HEADERS)

        async def get(url: str) -> str:
            response = await session.get(url)
            response.raise_for_status()
            return response.text or ""

        yield get


def _niquests_settings() -> dict[str, Any]:
    return {"disable_http2": True, "disable_http3": True, "pool_maxsize": 1, "keepalive_delay": None}


@contextmanager
def aiohttp(loop: AbstractEventLoop) -> Iterator[AsyncGet]:
    """Open an ``aiohttp.ClientSession``."""
    with open_aiohttp_session(loop) as session:
        session.headers.update(HEADERS)

        async def get(url: str) -> str:
            async with session.get(url) as response:
                return await response.text()

        yield get


def with_sync(name: str, open_client: Callable[[], AbstractContextManager[Get]], *requires: str) -> Variant[Downloads]:
    """A variant with a synchronous client."""
    return Variant(name=name, technique=partial(sync, open_client=open_client), requires=requires)


def with_loop(
    name: str, open_client: Callable[[AbstractEventLoop], AbstractContextManager[AsyncGet]], *requires: str
) -> Variant[Downloads]:
    """A variant with an asynchronous client."""
    return Variant(name=name, technique=partial(on_a_loop, open_client=open_client), requires=requires)


HTTP_IN_TURN = Scenario(
    name="http_in_turn",
    loads=Loads(
        trial=Downloads(count=3, delay=0.0),
        quick=Downloads(count=20, delay=0.0),
        standard=Downloads(count=500, delay=0.0),
    ),
    variants=(
        with_sync("requests", requests, "requests"),
        with_sync("httpx", partial(httpx, "httpx"), "httpx"),
        with_sync("httpx2", partial(httpx, "httpx2"), "httpx2"),
        with_sync("niquests", niquests, "niquests"),
        with_loop("aiohttp", aiohttp, "aiohttp"),
        with_loop("httpx_async", partial(httpx_async, library="httpx"), "httpx"),
        with_loop("httpx2_async", partial(httpx_async, library="httpx2"), "httpx2"),
        with_loop("niquests_async", niquests_async, "niquests"),
    ),
)

SCENARIOS = (HTTP_IN_TURN,)
