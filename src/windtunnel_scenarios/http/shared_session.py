"""One aiohttp session for all requests: the variants differ in its limit and in the loop."""

from asyncio import AbstractEventLoop, gather
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import aiohttp

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import called_on, driven, kept_loop, opened_on


@contextmanager
def all_at_once(load: Requests, limit: int, factory: Callable[[], AbstractEventLoop] | None = None) -> Iterator[Run]:
    """The server, a loop, and a session on it with at most ``limit`` connections (0: any number)."""
    with target(load) as url, kept_loop(factory=factory) as loop:

        async def session() -> aiohttp.ClientSession:
            return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=limit), raise_for_status=True)

        with opened_on(loop, called_on(loop, session)) as shared:

            async def job() -> Outcome:
                return tuple(await gather(*(get(shared, url) for _ in range(load.count))))

            yield driven(loop, job)


async def get(session: aiohttp.ClientSession, url: str) -> str:
    """The body of a success."""
    async with session.get(url) as response:
        return await response.text()
