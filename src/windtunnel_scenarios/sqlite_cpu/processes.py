"""The queries given to ``asyncio.gather``, the sums to processes."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sqlite import Queries
from windtunnel_scenarios.sqlite.aiosqlite_gather import connected, query
from windtunnel_scenarios.sqlite.database import database
from windtunnel_scenarios.support.loops import driven, kept_loop, opened_on
from windtunnel_scenarios.support.pools import Start, warm_processes


@contextmanager
def prepare(load: Mixed[Queries]) -> Iterator[Run]:
    """The database, a loop, a process for each sum, and a connection for each query."""
    with (
        database(load.waits) as path,
        warm_processes(load.sums.count, Start.SPAWN) as processes,
        kept_loop() as loop,
        ExitStack() as stack,
    ):
        connections = tuple(stack.enter_context(opened_on(loop, connected(path))) for _ in load.waits.periods)

        async def job() -> Outcome:
            waited = gather(*(query(connection, job) for job, connection in enumerate(connections)))
            summed = gather(*(loop.run_in_executor(processes, total, load.sums.bound) for _ in range(load.sums.count)))
            return *await waited, *await summed

        yield driven(loop, job)
