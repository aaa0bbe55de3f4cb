"""The server: answers ``GET /<seconds>/<day>`` with the day's prices, a line each; run as a process of its own."""

import asyncio
from functools import cache

from windtunnel_scenarios.programs.http_server import serve
from windtunnel_scenarios.scrape import prices


async def answer(target: bytes) -> bytes:
    """Wait as long as the path says, then hand the page over."""
    _, delay, day = target.split(b"/")
    await asyncio.sleep(float(delay))
    return page(int(day))


@cache
def page(day: int) -> bytes:
    """A day's page; kept, so that making it up is no part of the second answer."""
    return b"\n".join(b"%d" % price for price in prices(day))


if __name__ == "__main__":
    asyncio.run(serve(answer))
