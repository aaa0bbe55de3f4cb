"""HTTP clients over TLS, with HTTP/1.1 and HTTP/2: requests one by one, in new clients, and many at once."""

import resource
import ssl
import threading
from asyncio import gather
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import repeat
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from windtunnel_scenarios.downloads_far import self_signed_certificate
from windtunnel_scenarios.http_clients import requests_get, succeeded
from windtunnel_scenarios.model import Loads, Outcome, Scenario, Technique, UnavailableError, Variant
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.loops import event_loop, opened_on, run_on
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.servers import KEEP_ALIVE_TIMEOUT, ServedRun, Server, running_server

TIMEOUT = 300.0
"""Seconds after which a client gives a request up."""

OTHER_DESCRIPTORS = 200
"""Descriptors that a process may have beside its connections."""

MAX_CONNECTIONS = 1_000
"""Connections that the server may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetches:
    """How many requests, and after how many seconds the server answers each."""

    count: int
    delay: float = 0.0
    first: bool = False
    """Whether each run opens its client, connections and threads, as the first requests of a program do."""

    @property
    def outcome(self) -> Outcome:
        """The bodies: each states its delay."""
        return (str(self.delay),) * self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A server with a certificate that no authority has signed, and what its clients need."""

    server: Server
    certificate: Path
    context: ssl.SSLContext
    """Trusts the certificate; for clients that take a context."""
    connections: int
    """How many connections of HTTP/1.1 a client may open, and keep."""

    def url(self, path: object) -> str:
        """Return the URL of a path. It holds an address, so that no name is looked up."""
        return f"https://127.0.0.1:{self.server.port}/{path}"


@contextmanager
def tls_server(connections: int = 1) -> Iterator[Origin]:
    """Run the server. It and the client have processors of their own."""
    allow_descriptors(connections + OTHER_DESCRIPTORS)
    with shared_server() as (server, certificate), separate_processors(nullcontext()):
        context = ssl.create_default_context(cafile=certificate)
        yield Origin(server=server, certificate=certificate, context=context, connections=connections)


@contextmanager
def shared_server() -> Iterator[tuple[Server, Path]]:
    """Start a server, or use the one that another case has open; yield it and the file with its certificate."""
    if not _running:
        with ExitStack() as stack:
            started = stack.enter_context(_started())
            _running.append(_Running(*started, stack.pop_all()))
    running = _running[0]
    running.users += 1
    try:
        yield running.server, running.certificate
    finally:
        running.users -= 1
        if not running.users:
            _running.clear()
            running.stack.close()


@dataclass(slots=True)
class _Running:
    """The server that cases have open."""

    server: Server
    certificate: Path
    stack: ExitStack
    """Stops the server."""
    users: int = 0
    """How many cases have it open."""


_running: list[_Running] = []


@contextmanager
def _started() -> Iterator[tuple[Server, Path]]:
    """Start a server with a certificate of its own on the processors of servers, and stop it at the end."""
    allow_descriptors(MAX_CONNECTIONS + OTHER_DESCRIPTORS)
    with self_signed_certificate() as certificate, ExitStack() as stack:
        arguments = ("granian", "asyncio", str(certificate), str(certificate.parent / "key.pem"))

        @contextmanager
        def start() -> Iterator[Server]:
            yield stack.enter_context(running_server("windtunnel_scenarios.programs.app_server", *arguments))

        with separate_processors(start()) as server:
            pass  # the server stays on them; this thread returns to those it had
        yield server, certificate


def allow_descriptors(count: int) -> None:
    """Let this process, and those that it starts from now on, have at least so many descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        if hard != resource.RLIM_INFINITY and hard < count:
            raise UnavailableError(f"{count} descriptors are needed, and this process may have {hard}; see ulimit -Hn")
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


Get: TypeAlias = Callable[[str], str]
"""Returns the body at a URL; raises when the request did not succeed."""

OpenClient: TypeAlias = Callable[[Origin], AbstractContextManager[Get]]

AsyncGet: TypeAlias = Callable[[str], Coroutine[Any, Any, str]]

OpenAsyncClient: TypeAlias = Callable[[Origin], AbstractAsyncContextManager[AsyncGet]]


@contextmanager
def requests_client(origin: Origin) -> Iterator[Get]:
    """Open a ``requests.Session``."""
    import requests
    from requests.adapters import HTTPAdapter

    with requests.Session() as session:
        session.trust_env = False
        session.verify = str(origin.certificate)
        session.mount("https://", HTTPAdapter(pool_maxsize=origin.connections))
        yield partial(requests_get, session)


def httpx_settings(origin: Origin, library: Any, *, http2: bool, keep: int | None = None) -> dict[str, Any]:
    """Return the settings of the clients of httpx or httpx2, which keep so many idle connections (None: all)."""
    limits = library.Limits(
        max_connections=origin.connections,
        max_keepalive_connections=keep or origin.connections,
        keepalive_expiry=KEEP_ALIVE_TIMEOUT,
    )
    return {"http2": http2, "verify": origin.context, "limits": limits, "timeout": TIMEOUT, "trust_env": False}


@contextmanager
def httpx_client(origin: Origin, *, http2: bool, library: str = "httpx") -> Iterator[Get]:
    """Open a ``Client`` of httpx or httpx2."""
    httpx = import_module(library)
    with httpx.Client(**httpx_settings(origin, httpx, http2=http2)) as client:
        yield lambda url: str(succeeded(client.get(url)).text)


@asynccontextmanager
async def httpx_async_client(
    origin: Origin, *, http2: bool, keep: int | None = None, library: str = "httpx"
) -> AsyncIterator[AsyncGet]:
    """Open an ``AsyncClient`` of httpx or httpx2, which keeps so many idle connections (None: all)."""
    httpx = import_module(library)
    async with httpx.AsyncClient(**httpx_settings(origin, httpx, http2=http2, keep=keep)) as client:

        async def get(url: str) -> str:
            response = await client.get(url)
            return str(succeeded(response).text)

        yield get


def niquests_settings(origin: Origin, *, http2: bool) -> dict[str, Any]:
    """Return the settings of both sessions of niquests. HTTP/2 has one connection for all requests."""
    return {
        "disable_http2": not http2,
        "disable_http3": True,
        "pool_maxsize": 1 if http2 else origin.connections,
        "keepalive_delay": None,
        "verify": str(origin.certificate),
        "timeout": TIMEOUT,
    }


@contextmanager
def ended_watchers() -> Iterator[None]:
    """Wait for the ends of the threads that a session of niquests started for its pool; closing it does not wait."""
    before = set(threading.enumerate())
    try:
        yield
    finally:
        for thread in set(threading.enumerate()) - before:
            if "idle_conn_watch_task" in thread.name:
                thread.join()


@contextmanager
def niquests_client(origin: Origin, *, http2: bool) -> Iterator[Get]:
    """Open a ``niquests.Session``."""
    import niquests

    with ended_watchers(), niquests.Session(**niquests_settings(origin, http2=http2)) as session:
        session.trust_env = False

        def get(url: str) -> str:
            return session.get(url).raise_for_status().text or ""

        yield get


@asynccontextmanager
async def niquests_async_client(origin: Origin) -> AsyncIterator[AsyncGet]:
    """Open a ``niquests.AsyncSession``."""
    import niquests

    async with niquests.AsyncSession(**niquests_settings(origin, http2=False)) as session:
        session.trust_env = False

        async def get(url: str) -> str:
            response = await session.get(url)
            return response.raise_for_status().text or ""

        yield get


@asynccontextmanager
async def aiohttp_client(origin: Origin) -> AsyncIterator[AsyncGet]:
    """Open an ``aiohttp.ClientSession``."""
    import aiohttp

    connector = aiohttp.TCPConnector(limit=origin.connections, ssl=origin.context, keepalive_timeout=KEEP_ALIVE_TIMEOUT)
    timeout = aiohttp.ClientTimeout(total=TIMEOUT)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout, raise_for_status=True) as session:

        async def get(url: str) -> str:
            async with session.get(url) as response:
                return await response.text()

        yield get


def check_version(found: str, *, http2: bool) -> None:
    """Raise RuntimeError when a client spoke another version of HTTP than its variant's."""
    if found != ("2" if http2 else "1.1"):
        raise RuntimeError(f"the client spoke HTTP/{found}")


@contextmanager
def in_turn(load: Fetches, *, open_client: OpenClient, http2: bool) -> Iterator[ServedRun]:
    """Make one request after another in one client, which keeps its connection."""
    with tls_server() as origin, open_client(origin) as get:
        check_version(get(origin.url("version")), http2=http2)
        url = origin.url(load.delay)
        yield ServedRun(lambda: tuple(get(url) for _ in range(load.count)), origin.server)


@contextmanager
def async_in_turn(load: Fetches, *, open_client: OpenAsyncClient, http2: bool) -> Iterator[ServedRun]:
    """Make one request after another in one asynchronous client."""
    with tls_server() as origin, event_loop() as loop, opened_on(loop, open_client(origin)) as get:
        check_version(loop.run_until_complete(get(origin.url("version"))), http2=http2)
        url = origin.url(load.delay)

        async def job() -> Outcome:
            return tuple([await get(url) for _ in range(load.count)])

        yield ServedRun(run_on(loop, job), origin.server)


@contextmanager
def in_new_clients(load: Fetches, *, open_client: OpenClient, http2: bool) -> Iterator[ServedRun]:
    """Make one request after another, each in a client that is opened and closed for it."""

    def get(path: object) -> str:
        with open_client(origin) as opened:
            return opened(origin.url(path))

    with tls_server() as origin:
        check_version(get("version"), http2=http2)
        yield ServedRun(lambda: tuple(get(load.delay) for _ in range(load.count)), origin.server)


@contextmanager
def async_in_new_clients(load: Fetches, *, open_client: OpenAsyncClient, http2: bool) -> Iterator[ServedRun]:
    """Do the same with asynchronous clients."""

    async def get(path: object) -> str:
        async with open_client(origin) as opened:
            return await opened(origin.url(path))

    async def job() -> Outcome:
        return tuple([await get(load.delay) for _ in range(load.count)])

    with tls_server() as origin, event_loop() as loop:
        check_version(loop.run_until_complete(get("version")), http2=http2)
        yield ServedRun(run_on(loop, job), origin.server)


@contextmanager
def in_threads(load: Fetches, *, open_client: OpenClient, http2: bool) -> Iterator[ServedRun]:
    """Make all requests at once from as many threads, which share one client."""
    with tls_server(load.count) as origin, open_client(origin) as get, warm_threads(load.count) as pool:
        check_version(get(origin.url("version")), http2=http2)
        url = origin.url(load.delay)
        yield ServedRun(lambda: tuple(pool.map(get, repeat(url, load.count))), origin.server)


@contextmanager
def gathered_requests(
    load: Fetches, *, open_client: OpenAsyncClient, http2: bool, limit: int = 0
) -> Iterator[ServedRun]:
    """Make all requests at once in one asynchronous client, on at most ``limit`` connections (0: one for each)."""
    with tls_server(limit or load.count) as origin, event_loop() as loop, opened_on(loop, open_client(origin)) as get:
        check_version(loop.run_until_complete(get(origin.url("version"))), http2=http2)
        url = origin.url(load.delay)

        async def job() -> Outcome:
            return tuple(await gather(*(get(url) for _ in range(load.count))))

        yield ServedRun(run_on(loop, job), origin.server)


@contextmanager
def multiplexed(load: Fetches) -> Iterator[ServedRun]:
    """Send all requests on one connection of HTTP/2 before any answer is read, in one thread."""
    import niquests

    with (
        tls_server() as origin,
        ended_watchers(),
        niquests.Session(multiplexed=True, **niquests_settings(origin, http2=True)) as session,
    ):
        session.trust_env = False
        check_version(session.get(origin.url("version")).text or "", http2=True)
        url = origin.url(load.delay)

        def run() -> Outcome:
            responses = [session.get(url) for _ in range(load.count)]
            session.gather()
            return tuple(response.raise_for_status().text for response in responses)

        yield ServedRun(run, origin.server)


def variant(name: str, technique: Technique[Fetches], *requires: str) -> Variant[Fetches]:
    """A variant; the server is granian, and ``openssl`` creates its certificate."""
    return Variant(name=name, technique=technique, requires=(*requires, "granian"), commands=("openssl",))


OpenT = TypeVar("OpenT", OpenClient, OpenAsyncClient)

CLIENTS: dict[str, tuple[OpenClient, bool, tuple[str, ...]]] = {
    "requests": (requests_client, False, ("requests",)),
    "httpx": (partial(httpx_client, http2=False), False, ("httpx",)),
    "httpx_http2": (partial(httpx_client, http2=True), True, ("httpx", "h2")),
    "niquests": (partial(niquests_client, http2=False), False, ("niquests",)),
    "niquests_http2": (partial(niquests_client, http2=True), True, ("niquests",)),
}
"""How each synchronous client is opened, whether it speaks HTTP/2, and what it requires."""

ASYNC_CLIENTS: dict[str, tuple[OpenAsyncClient, bool, tuple[str, ...]]] = {
    "aiohttp": (aiohttp_client, False, ("aiohttp",)),
    "httpx_async": (partial(httpx_async_client, http2=False), False, ("httpx",)),
    "httpx_async_http2": (partial(httpx_async_client, http2=True), True, ("httpx", "h2")),
    "niquests_async": (niquests_async_client, False, ("niquests",)),
}
"""Without HTTP/2 of niquests: its closed asynchronous sessions leave sockets open (niquests 3.21.2)."""


def variants(
    technique: Callable[..., AbstractContextManager[ServedRun]],
    clients: Mapping[str, tuple[OpenT, bool, tuple[str, ...]]],
    suffix: str = "",
) -> dict[str, Variant[Fetches]]:
    """Return a variant of the technique for each client, by its name."""
    return {
        name + suffix: variant(name + suffix, partial(technique, open_client=open_client, http2=http2), *requires)
        for name, (open_client, http2, requires) in clients.items()
    }


IN_TURN = (*variants(in_turn, CLIENTS).values(), *variants(async_in_turn, ASYNC_CLIENTS).values())

IN_NEW_CLIENTS = (
    *variants(in_new_clients, CLIENTS).values(),
    *variants(async_in_new_clients, ASYNC_CLIENTS).values(),
)

THREADS = variants(in_threads, CLIENTS, "_threads")
GATHERED = variants(gathered_requests, ASYNC_CLIENTS)
AIOHTTP_LIMIT_100 = variant(
    "aiohttp_limit_100", partial(gathered_requests, open_client=aiohttp_client, http2=False, limit=100), "aiohttp"
)
HTTPX_ASYNC_KEEP_20 = variant(
    "httpx_async_keep_20",
    partial(gathered_requests, open_client=partial(httpx_async_client, http2=False, keep=20), http2=False),
    "httpx",
)
"""httpx keeps 20 idle connections by default, and closes the others."""

AT_ONCE = (
    THREADS["requests_threads"],
    THREADS["httpx_threads"],
    variant("niquests_multiplexed", multiplexed, "niquests"),
    *GATHERED.values(),
)

THOUSAND_AT_ONCE = (
    THREADS["requests_threads"],
    variant("niquests_multiplexed", multiplexed, "niquests"),
    GATHERED["aiohttp"],
    AIOHTTP_LIMIT_100,
    GATHERED["httpx_async_http2"],
    GATHERED["niquests_async"],
)
"""Without httpx on HTTP/1.1: the time in its pool grows faster than the square of the requests."""

HTTPS_WARM = Scenario(
    name="https_warm",
    loads=Loads(trial=Fetches(count=3), quick=Fetches(count=30), standard=Fetches(count=60)),
    variants=IN_TURN,
)

HTTPS_COLD = Scenario(
    name="https_cold",
    loads=Loads(trial=Fetches(count=2), quick=Fetches(count=5), standard=Fetches(count=60)),
    variants=IN_NEW_CLIENTS,
)

HTTPS_AT_ONCE_10 = Scenario(
    name="https_at_once_10",
    loads=Loads(
        trial=Fetches(count=3, delay=0.001),
        quick=Fetches(count=10, delay=0.05),
        standard=Fetches(count=10, delay=0.1),
    ),
    variants=AT_ONCE,
)

HTTPS_AT_ONCE_100 = Scenario(
    name="https_at_once_100",
    loads=Loads(
        trial=Fetches(count=5, delay=0.001),
        quick=Fetches(count=50, delay=0.05),
        standard=Fetches(count=100, delay=0.1),
    ),
    variants=(*AT_ONCE, HTTPX_ASYNC_KEEP_20),
)

HTTPS_AT_ONCE_1000 = Scenario(
    name="https_at_once_1000",
    loads=Loads(
        trial=Fetches(count=7, delay=0.001),
        quick=Fetches(count=200, delay=0.05),
        standard=Fetches(count=1_000, delay=0.1),
    ),
    variants=THOUSAND_AT_ONCE,
)

SCENARIOS = (HTTPS_WARM, HTTPS_COLD, HTTPS_AT_ONCE_10, HTTPS_AT_ONCE_100, HTTPS_AT_ONCE_1000)
