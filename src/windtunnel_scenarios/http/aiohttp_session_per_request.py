"""All requests at once with ``asyncio.gather``, each in an aiohttp session of its own."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Requests) -> Iterator[Run]:
    """The server and a loop; sessions are opened inside the clock."""
    with target(load) as url, kept_loop() as loop:

        async def job() -> Outcome:
            return tuple(await gather(*(get(url) for _ in range(load.count))))

        yield driven(loop, job)


async def get(url: str) -> str:
    """The body of a success, by a session that is opened and closed for it."""
    async with aiohttp.ClientSession(raise_for_status=True) as session, session.get(url) as response:
        return await response.text()
