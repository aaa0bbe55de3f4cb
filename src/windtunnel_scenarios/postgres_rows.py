"""Reading many rows from PostgreSQL with one query: what each client computes for a row."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario
from windtunnel_scenarios.postgres import (
    asyncpg_pool,
    connect,
    one_connection,
    psycopg_pool,
    with_asyncpg,
    with_psycopg,
)
from windtunnel_scenarios.support.database_servers import database_server, postgres_commands
from windtunnel_scenarios.support.loops import event_loop, opened_on, run_on

if TYPE_CHECKING:
    import asyncpg
    import psycopg

QUERY = (
    "SELECT number, 'article ' || number, number / 4.0::float8, '2026-11-28'::date + number, number % 2 = 0 "
    "FROM generate_series(1, {count}) AS number"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRows:
    """How many rows."""

    count: int

    @property
    def query(self) -> str:
        """The query that returns them."""
        return QUERY.format(count=self.count)

    @property
    def outcome(self) -> Outcome:
        """The sum of the first column."""
        return (self.count * (self.count + 1) // 2,)


@contextmanager
def sync(load: ReadRows) -> Iterator[Run]:
    """Read all rows with psycopg."""
    with database_server(postgres_commands) as server, connect(server) as connection:
        yield lambda: (sum([row[0] for row in connection.execute(load.query).fetchall()]),)


async def read_psycopg(connection: "psycopg.AsyncConnection[Any]", load: ReadRows) -> int:
    """Do the same with psycopg and asyncio."""
    return sum([row[0] for row in await (await connection.execute(load.query)).fetchall()])


async def read_asyncpg(connection: "asyncpg.Connection[Any]", load: ReadRows) -> int:
    """Do the same with asyncpg."""
    return sum([row[0] for row in await connection.fetch(load.query)])


@contextmanager
def sqlalchemy(load: ReadRows) -> Iterator[Run]:
    """Read all rows through SQLAlchemy's engine, with psycopg."""
    from sqlalchemy import create_engine, text

    with database_server(postgres_commands) as server:
        engine = create_engine("postgresql+psycopg://", creator=partial(connect, server))
        try:
            with engine.connect() as connection:
                yield lambda: (sum([row[0] for row in connection.execute(text(load.query)).all()]),)
        finally:
            engine.dispose()


@contextmanager
def sqlalchemy_asyncpg(load: ReadRows) -> Iterator[Run]:
    """Read all rows through SQLAlchemy's engine for asyncio, with asyncpg."""
    from sqlalchemy import URL, text
    from sqlalchemy.ext.asyncio import create_async_engine

    with database_server(postgres_commands) as server, event_loop() as loop:
        url = URL.create(
            "postgresql+asyncpg",
            username="postgres",
            password=server.password,
            host="127.0.0.1",
            port=server.port,
            database="postgres",
        )
        engine = create_async_engine(url, connect_args={"ssl": False})
        try:
            with opened_on(loop, engine.connect()) as connection:

                async def run() -> Outcome:
                    return (sum([row[0] for row in (await connection.execute(text(load.query))).all()]),)

                yield run_on(loop, run)
        finally:
            loop.run_until_complete(engine.dispose())


POSTGRES_ROWS = Scenario(
    name="postgres_rows",
    loads=Loads(trial=ReadRows(count=10), quick=ReadRows(count=1_000), standard=ReadRows(count=10_000)),
    variants=(
        with_psycopg("sync", sync),
        with_psycopg(
            "psycopg_async", partial(one_connection, open_pool=psycopg_pool, job=read_psycopg), "psycopg_pool"
        ),
        with_asyncpg("asyncpg", partial(one_connection, open_pool=asyncpg_pool, job=read_asyncpg)),
        with_psycopg("sqlalchemy", sqlalchemy, "sqlalchemy"),
        with_asyncpg("sqlalchemy_asyncpg", sqlalchemy_asyncpg, "sqlalchemy", "greenlet"),
    ),
)

SCENARIOS = (POSTGRES_ROWS,)
