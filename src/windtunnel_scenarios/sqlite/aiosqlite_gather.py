"""All at once with ``asyncio.gather`` over aiosqlite, which gives each connection a thread."""

from asyncio import gather
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import aiosqlite

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sqlite import Queries
from windtunnel_scenarios.sqlite.database import QUERY, database, pause
from windtunnel_scenarios.support.loops import driven, kept_loop, opened_on


@contextmanager
def prepare(load: Queries) -> Iterator[Run]:
    """The database, a loop, and a connection for each query, opened on that loop."""
    with database(load) as path, kept_loop() as loop, ExitStack() as stack:
        connections = tuple(stack.enter_context(opened_on(loop, connected(path))) for _ in load.periods)

        async def job() -> Outcome:
            return tuple(await gather(*(query(connection, job) for job, connection in enumerate(connections))))

        yield driven(loop, job)


@asynccontextmanager
async def connected(path: Path) -> AsyncIterator[aiosqlite.Connection]:
    """A connection that knows ``pause``."""
    async with aiosqlite.connect(path) as connection:
        await connection.create_function("pause", 1, pause)
        yield connection


async def query(connection: aiosqlite.Connection, job: int) -> float:
    """Ask for one job's period, which takes that long."""
    ((answer,),) = await connection.execute_fetchall(QUERY, (job,))
    return float(answer)
