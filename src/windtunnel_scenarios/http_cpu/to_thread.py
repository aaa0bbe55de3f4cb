"""The requests given to ``asyncio.gather``, the sums to threads."""

from asyncio import gather, to_thread
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.aiohttp_session_per_request import get
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Mixed[Requests]) -> Iterator[Run]:
    """The server, a loop and its pool."""
    with target(load.waits) as url, warm_threads(load.sums.count) as pool, kept_loop(pool) as loop:

        async def job() -> Outcome:
            waited = gather(*(get(url) for _ in range(load.waits.count)))
            summed = gather(*(to_thread(total, load.sums.bound) for _ in range(load.sums.count)))
            return *await waited, *await summed

        yield driven(loop, job)
