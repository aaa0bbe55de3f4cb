"""HTTP clients over TLS whose requests begin at once: the first of a program, with a new client, and later ones."""

from asyncio import gather
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import repeat

from windtunnel_scenarios.https_clients import (
    ASYNC_CLIENTS,
    CLIENTS,
    AsyncGet,
    Fetches,
    Get,
    OpenAsyncClient,
    OpenClient,
    aiohttp_client,
    httpx_async_client,
    httpx_client,
    niquests_async_client,
    requests_client,
    tls_server,
    variant,
)
from windtunnel_scenarios.model import Outcome, Run, Scenario, Series
from windtunnel_scenarios.support.loops import event_loop, opened_on, run_on
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.servers import ServedRun


@contextmanager
def burst_in_threads(load: Fetches, *, open_client: OpenClient, threads: int = 0) -> Iterator[ServedRun]:
    """Make all requests from so many threads (0: as many as requests), which share a client."""
    workers = threads or load.count
    with tls_server(workers) as origin:
        url = origin.url(load.delay)

        def fetch(get: Get, pool: ThreadPoolExecutor) -> Outcome:
            return tuple(pool.map(get, repeat(url, load.count)))

        def first() -> Outcome:
            with open_client(origin) as get, ThreadPoolExecutor(workers) as pool:
                return fetch(get, pool)

        with ExitStack() as stack:
            run: Run = first
            if not load.first:
                run = partial(
                    fetch, stack.enter_context(open_client(origin)), stack.enter_context(warm_threads(workers))
                )
            yield ServedRun(run, origin.server)


@contextmanager
def burst_in_tasks(load: Fetches, *, open_client: OpenAsyncClient) -> Iterator[ServedRun]:
    """Make all requests at once in one asynchronous client."""
    with tls_server(load.count) as origin, event_loop() as loop:
        url = origin.url(load.delay)

        async def fetch(get: AsyncGet) -> Outcome:
            return tuple(await gather(*(get(url) for _ in range(load.count))))

        async def first() -> Outcome:
            async with open_client(origin) as get:
                return await fetch(get)

        with ExitStack() as stack:
            job = first
            if not load.first:
                job = partial(fetch, stack.enter_context(opened_on(loop, open_client(origin))))
            yield ServedRun(run_on(loop, job), origin.server)


HTTPX2 = partial(httpx_client, http2=False, library="httpx2")
HTTPX2_ASYNC = partial(httpx_async_client, http2=False, library="httpx2")

HTTPS_BURST = Scenario(
    name="https_burst",
    loads=Series(
        trial=Fetches(count=3, delay=0.001, first=True),
        points={
            **{f"{count}_first": Fetches(count=count, delay=0.05, first=True) for count in (1, 3, 10, 100)},
            **{f"{count}_later": Fetches(count=count, delay=0.05) for count in (1, 3, 10, 100)},
        },
    ),
    variants=(
        *(
            variant(f"{name}_in_turn", partial(burst_in_threads, open_client=opened, threads=1), library)
            for name, library, opened in (
                ("requests", "requests", requests_client),
                ("httpx", "httpx", CLIENTS["httpx"][0]),
                ("httpx2", "httpx2", HTTPX2),
            )
        ),
        variant("requests_threads_20", partial(burst_in_threads, open_client=requests_client, threads=20), "requests"),
        *(
            variant(f"{name}_threads", partial(burst_in_threads, open_client=opened), library)
            for name, library, opened in (
                ("requests", "requests", requests_client),
                ("httpx", "httpx", CLIENTS["httpx"][0]),
                ("httpx2", "httpx2", HTTPX2),
            )
        ),
        *(
            variant(name, partial(burst_in_tasks, open_client=opened), library)
            for name, library, opened in (
                ("aiohttp", "aiohttp", aiohttp_client),
                ("httpx_async", "httpx", ASYNC_CLIENTS["httpx_async"][0]),
                ("httpx2_async", "httpx2", HTTPX2_ASYNC),
                ("niquests_async", "niquests", niquests_async_client),
            )
        ),
    ),
)

SCENARIOS = (HTTPS_BURST,)
