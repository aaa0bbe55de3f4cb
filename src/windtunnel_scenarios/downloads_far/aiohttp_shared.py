"""All requests at once in one aiohttp session with its default limit of 100 connections."""

import ssl
from asyncio import gather, run
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp

from windtunnel_scenarios.downloads_far import Far
from windtunnel_scenarios.downloads_far.program import Program, far_away, main
from windtunnel_scenarios.http.shared_session import get


@contextmanager
def prepare(load: Far) -> Iterator[Program]:
    """The server and the line."""
    with far_away(load, __name__) as program:
        yield program


def fetch(url: str, count: int, trusted: str) -> tuple[str, ...]:
    """In the client's process."""

    async def job() -> tuple[str, ...]:
        connector = aiohttp.TCPConnector(limit=100, ssl=ssl.create_default_context(cafile=trusted))
        async with aiohttp.ClientSession(connector=connector, raise_for_status=True) as opened:
            return tuple(await gather(*(get(opened, url) for _ in range(count))))

    return run(job())


if __name__ == "__main__":
    main(fetch)
