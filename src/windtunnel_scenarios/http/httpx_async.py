"""All requests at once with ``asyncio.gather`` in one ``httpx.AsyncClient``."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop, opened_on


@contextmanager
def prepare(load: Requests) -> Iterator[Run]:
    """The server, a loop, and the client on it."""
    with target(load) as url, kept_loop() as loop, opened_on(loop, httpx.AsyncClient(trust_env=False)) as client:

        async def job() -> Outcome:
            return tuple(await gather(*(get(client, url) for _ in range(load.count))))

        yield driven(loop, job)


async def get(client: httpx.AsyncClient, url: str) -> str:
    """The body of a success."""
    response = await client.get(url)
    return response.raise_for_status().text
