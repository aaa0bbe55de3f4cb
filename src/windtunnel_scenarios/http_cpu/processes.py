"""The requests given to ``asyncio.gather``, the sums to processes."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.aiohttp_session_per_request import get
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.support.pools import Start, warm_processes


@contextmanager
def prepare(load: Mixed[Requests]) -> Iterator[Run]:
    """The server, a loop, a process for each sum."""
    with target(load.waits) as url, warm_processes(load.sums.count, Start.SPAWN) as processes, kept_loop() as loop:

        async def job() -> Outcome:
            waited = gather(*(get(url) for _ in range(load.waits.count)))
            summed = gather(*(loop.run_in_executor(processes, total, load.sums.bound) for _ in range(load.sums.count)))
            return *await waited, *await summed

        yield driven(loop, job)
