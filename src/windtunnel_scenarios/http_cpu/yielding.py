"""The requests and the sums given to ``asyncio.gather``; a sum lets the others run after every 10,000 additions."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_yield.yielding import total
from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.aiohttp_session_per_request import get
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop

EVERY = 10_000
"""Additions, about half a millisecond."""


@contextmanager
def prepare(load: Mixed[Requests]) -> Iterator[Run]:
    """The server, a loop."""
    with target(load.waits) as url, kept_loop() as loop:

        async def job() -> Outcome:
            waited = gather(*(get(url) for _ in range(load.waits.count)))
            summed = gather(*(total(load.sums.bound, EVERY) for _ in range(load.sums.count)))
            return *await waited, *await summed

        yield driven(loop, job)
