"""The queries and the sums given to ``asyncio.gather``; a sum holds everything else up."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from windtunnel_scenarios.cpu_sum.async_sequential import total
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sqlite import Queries
from windtunnel_scenarios.sqlite.aiosqlite_gather import connected, query
from windtunnel_scenarios.sqlite.database import database
from windtunnel_scenarios.support.loops import driven, kept_loop, opened_on


@contextmanager
def prepare(load: Mixed[Queries]) -> Iterator[Run]:
    """The database, a loop, and a connection for each query."""
    with database(load.waits) as path, kept_loop() as loop, ExitStack() as stack:
        connections = tuple(stack.enter_context(opened_on(loop, connected(path))) for _ in load.waits.periods)

        async def job() -> Outcome:
            waited = gather(*(query(connection, job) for job, connection in enumerate(connections)))
            summed = gather(*(total(load.sums.bound) for _ in range(load.sums.count)))
            return *await waited, *await summed

        yield driven(loop, job)
