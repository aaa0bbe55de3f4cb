"""All pages at once in one aiohttp session with its default limit of 100 connections."""

from asyncio import gather
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import aiohttp

from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.scrape import Days
from windtunnel_scenarios.scrape.scraped import scraped, total, weighed
from windtunnel_scenarios.support.loops import called_on, kept_loop, opened_on


@contextmanager
def prepare(load: Days) -> Iterator[Watched]:
    """The server."""
    with scraped(load, __name__) as run:
        yield run


@contextmanager
def job(url: str, count: str) -> Iterator[Callable[[], tuple[list[int], int]]]:
    """A loop and a session, in the client's process."""

    async def session() -> aiohttp.ClientSession:
        return aiohttp.ClientSession(raise_for_status=True)

    with kept_loop() as loop, opened_on(loop, called_on(loop, session)) as opened:

        async def all_days() -> list[int]:
            return list(await gather(*(get(opened, f"{url}/{day}") for day in range(int(count)))))

        loop.run_until_complete(get(opened, f"{url}/0"))
        yield lambda: weighed(lambda: loop.run_until_complete(all_days()))


async def get(opened: aiohttp.ClientSession, url: str) -> int:
    """The sum of a page."""
    async with opened.get(url) as response:
        return total(await response.read())
