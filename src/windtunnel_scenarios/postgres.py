"""PostgreSQL: many queries over few or many connections and pools, and inserting many rows.

The clients are psycopg, psycopg with asyncio, and asyncpg.
"""

from asyncio import AbstractEventLoop, gather
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from windtunnel_scenarios.model import Load, Loads, Outcome, Run, Scenario, Technique, Variant
from windtunnel_scenarios.support.database_servers import DatabaseServer, database_server, postgres_commands
from windtunnel_scenarios.support.loops import (
    Coroutines,
    LoopFactory,
    event_loop,
    gathered,
    opened_on,
    run_on,
    uvloop_factory,
)
from windtunnel_scenarios.support.pools import warm_threads

if TYPE_CHECKING:
    import asyncpg
    import psycopg

L = TypeVar("L", bound=Load)

WORKERS = 50
"""Threads or tasks that share a pool."""

POOL_TIMEOUT = 600.0
"""Seconds that a thread or task waits for a connection of a pool, at most."""

DEBIT = "UPDATE account SET balance = balance - 1 WHERE id = "
CREDIT = "UPDATE account SET balance = balance + 1 WHERE id = "
INSERT = "INSERT INTO line (id, name, price) VALUES "
METHODS = ("row_by_row", "executemany", "copy")
"""How rows are inserted."""

COPY = "COPY line FROM STDIN"
COUNT = "SELECT count(*) FROM line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """How many queries, or transactions if there is no query."""

    count: int
    query: str = ""
    """Returns 1."""

    @property
    def outcome(self) -> Outcome:
        """How many were answered."""
        return (self.count,)

    def shares(self, workers: int) -> list[range]:
        """The numbers of the queries of each worker."""
        return [range(worker, self.count, workers) for worker in range(workers)]


def answer(connection: "psycopg.Connection[Any]", load: Queries, number: int) -> int:
    """Ask with psycopg. A transaction moves 1 between two accounts that no other one uses."""
    if load.query:
        ((one,),) = connection.execute(load.query).fetchall()
        return int(one)
    with connection.transaction():
        connection.execute(f"{DEBIT} %s", (2 * number,))
        return int(connection.execute(f"{CREDIT} %s", (2 * number + 1,)).rowcount)


async def psycopg_answer(connection: "psycopg.AsyncConnection[Any]", load: Queries, number: int) -> int:
    """Do the same with psycopg and asyncio."""
    if load.query:
        ((one,),) = await (await connection.execute(load.query)).fetchall()
        return int(one)
    async with connection.transaction():
        await connection.execute(f"{DEBIT} %s", (2 * number,))
        return (await connection.execute(f"{CREDIT} %s", (2 * number + 1,))).rowcount


async def asyncpg_answer(connection: "asyncpg.Connection[Any]", load: Queries, number: int) -> int:
    """Do the same with asyncpg."""
    if load.query:
        return int(await connection.fetchval(load.query))
    async with connection.transaction():
        await connection.execute(f"{DEBIT} $1", 2 * number)
        return bool(await connection.execute(f"{CREDIT} $1", 2 * number + 1) == "UPDATE 1")


def prepare(connection: "psycopg.Connection[Any]", load: Queries) -> None:
    """Let psycopg prepare the statements of a load now, as asyncpg does, and not when they are used the sixth time."""
    connection.prepare_threshold = 0
    answer(connection, load, 0)


async def psycopg_prepare(connection: "psycopg.AsyncConnection[Any]", load: Queries) -> None:
    """Do the same with psycopg and asyncio."""
    connection.prepare_threshold = 0
    await psycopg_answer(connection, load, 0)


async def asyncpg_prepare(connection: "asyncpg.Connection[Any]", load: Queries) -> None:
    """Do the same with asyncpg."""
    await asyncpg_answer(connection, load, 0)


def conninfo(server: DatabaseServer) -> str:
    """Return how psycopg connects, whatever the environment says."""
    access = f"host=127.0.0.1 port={server.port} user=postgres password={server.password} dbname=postgres"
    return f"{access} sslmode=disable gssencmode=disable"


def connect(server: DatabaseServer) -> "psycopg.Connection[Any]":
    """Connect with psycopg."""
    import psycopg

    return psycopg.connect(conninfo(server), autocommit=True)


@contextmanager
def sync(load: Queries) -> Iterator[Run]:
    """Ask one query after the other on one connection of psycopg."""
    with database_server(postgres_commands) as server, connect(server) as connection:
        prepare(connection, load)

        def run() -> Outcome:
            return (sum(answer(connection, load, number) for number in range(load.count)),)

        yield run


@contextmanager
def threads(load: Queries, *, workers: int) -> Iterator[Run]:
    """Ask from so many threads, each with a connection of psycopg."""

    def ask(connection: "psycopg.Connection[Any]", numbers: Iterable[int]) -> int:
        return sum(answer(connection, load, number) for number in numbers)

    with database_server(postgres_commands) as server, ExitStack() as stack, warm_threads(workers) as pool:
        connections = [stack.enter_context(connect(server)) for _ in range(workers)]
        tuple(pool.map(prepare, connections, repeat(load)))

        def run() -> Outcome:
            return (sum(pool.map(ask, connections, load.shares(workers))),)

        yield run


@contextmanager
def threads_with_pool(load: Queries, *, size: int) -> Iterator[Run]:
    """Ask from 50 threads that take a connection from a pool of psycopg for each query."""
    from psycopg_pool import ConnectionPool

    def ask(numbers: Iterable[int]) -> int:
        answers = 0
        for number in numbers:
            with connections.connection() as connection:
                answers += answer(connection, load, number)
        return answers

    with (
        database_server(postgres_commands) as server,
        ConnectionPool(
            conninfo(server),
            min_size=size,
            timeout=POOL_TIMEOUT,
            kwargs={"autocommit": True},
            configure=partial(prepare, load=load),
            open=False,
        ) as connections,
        warm_threads(WORKERS) as pool,
    ):
        connections.wait()

        def run() -> Outcome:
            return (sum(pool.map(ask, load.shares(WORKERS))),)

        yield run


Acquire: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]
"""Takes a connection from a pool."""


@contextmanager
def psycopg_pool(
    loop: AbstractEventLoop, server: DatabaseServer, size: int, load: Queries | None = None
) -> Iterator[Acquire]:
    """Open psycopg's pool for asyncio, with the statements of a load prepared."""
    from psycopg_pool import AsyncConnectionPool

    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        conninfo(server),
        min_size=size,
        timeout=POOL_TIMEOUT,
        kwargs={"autocommit": True},
        configure=partial(psycopg_prepare, load=load) if load else None,
        open=False,
    )
    with opened_on(loop, pool):
        loop.run_until_complete(pool.wait())
        yield pool.connection


@contextmanager
def asyncpg_pool(
    loop: AbstractEventLoop, server: DatabaseServer, size: int, load: Queries | None = None
) -> Iterator[Acquire]:
    """Open asyncpg's pool, with the statements of a load prepared."""
    import asyncpg

    pool = asyncpg.create_pool(
        host="127.0.0.1",
        port=server.port,
        user="postgres",
        password=server.password,
        database="postgres",
        ssl=False,
        min_size=size,
        max_size=size,
        init=partial(asyncpg_prepare, load=load) if load else None,
        loop=loop,
    )
    with opened_on(loop, pool):
        yield pool.acquire


class OpenPool(Protocol):
    """Opens a pool of so many connections; prepares on each of them what a load asks."""

    def __call__(
        self, loop: AbstractEventLoop, server: DatabaseServer, size: int, load: Queries | None = None
    ) -> AbstractContextManager[Acquire]: ...


AsyncAnswer: TypeAlias = Callable[[Any, Queries, int], Coroutine[Any, Any, int]]


@contextmanager
def tasks_with_pool(
    load: Queries, loop: AbstractEventLoop, *, ask: AsyncAnswer, open_pool: OpenPool, size: int
) -> Iterator[Coroutines]:
    """Ask from 50 tasks that take a connection from a pool for each query."""

    async def worker(numbers: Iterable[int]) -> int:
        answers = 0
        for number in numbers:
            async with acquire() as connection:
                answers += await ask(connection, load, number)
        return answers

    with database_server(postgres_commands) as server, open_pool(loop, server, size, load) as acquire:

        async def all_workers() -> int:
            return sum(await gather(*map(worker, load.shares(WORKERS))))

        yield lambda: (all_workers(),)


@contextmanager
def one_connection(
    load: Any, *, open_pool: OpenPool, job: Callable[[Any, Any], Coroutine[Any, Any, int]]
) -> Iterator[Run]:
    """Do a job with one connection of an asynchronous client, which is taken from a pool before the clock starts."""
    with (
        database_server(postgres_commands) as server,
        event_loop() as loop,
        open_pool(loop, server, 1, load if isinstance(load, Queries) else None) as acquire,
        opened_on(loop, acquire()) as connection,
    ):

        async def run() -> Outcome:
            return (await job(connection, load),)

        yield run_on(loop, run)


def in_turn(ask: AsyncAnswer) -> Callable[[Any, Queries], Coroutine[Any, Any, int]]:
    """Return a job that asks one query after the other."""

    async def job(connection: Any, load: Queries) -> int:
        return sum([await ask(connection, load, number) for number in range(load.count)])

    return job


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How many rows."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many rows the table has afterwards."""
        return (self.count,)


@cache
def row_values(count: int) -> list[tuple[int, str, float]]:
    """Return so many rows; the warm-up creates them."""
    return [(number, f"article {number}", number / 100) for number in range(count)]


@contextmanager
def sync_insert(load: Rows, *, method: str) -> Iterator[Run]:
    """Empty the table and insert all rows in one transaction with psycopg."""
    rows = row_values(load.count)
    with database_server(postgres_commands) as server, connect(server) as connection:

        def run() -> Outcome:
            with connection.transaction(), connection.cursor() as cursor:
                cursor.execute("TRUNCATE line")
                if method == "executemany":
                    cursor.executemany(f"{INSERT} (%s, %s, %s)", rows)
                elif method == "copy":
                    with cursor.copy(COPY) as copy:
                        for row in rows:
                            copy.write_row(row)
                else:
                    for row in rows:
                        cursor.execute(f"{INSERT} (%s, %s, %s)", row)
                ((count,),) = cursor.execute(COUNT)
            return (count,)

        yield run


def psycopg_insert(method: str) -> Callable[["psycopg.AsyncConnection[Any]", Rows], Coroutine[Any, Any, int]]:
    """Return a job that does the same with psycopg and asyncio."""

    async def job(connection: "psycopg.AsyncConnection[Any]", load: Rows) -> int:
        rows = row_values(load.count)
        async with connection.transaction(), connection.cursor() as cursor:
            await cursor.execute("TRUNCATE line")
            if method == "executemany":
                await cursor.executemany(f"{INSERT} (%s, %s, %s)", rows)
            elif method == "copy":
                async with cursor.copy(COPY) as copy:
                    for row in rows:
                        await copy.write_row(row)
            else:
                for row in rows:
                    await cursor.execute(f"{INSERT} (%s, %s, %s)", row)
            ((count,),) = await (await cursor.execute(COUNT)).fetchall()
        return int(count)

    return job


def asyncpg_insert(method: str) -> Callable[["asyncpg.Connection[Any]", Rows], Coroutine[Any, Any, int]]:
    """Return a job that does the same with asyncpg."""

    async def job(connection: "asyncpg.Connection[Any]", load: Rows) -> int:
        rows = row_values(load.count)
        async with connection.transaction():
            await connection.execute("TRUNCATE line")
            if method == "executemany":
                await connection.executemany(f"{INSERT} ($1, $2, $3)", rows)
            elif method == "copy":
                await connection.copy_records_to_table("line", records=rows)
            else:
                for row in rows:
                    await connection.execute(f"{INSERT} ($1, $2, $3)", *row)
            return int(await connection.fetchval(COUNT))

    return job


COMMANDS = ("postgres", "initdb")


def with_psycopg(name: str, technique: Technique[L], *modules: str) -> Variant[L]:
    """A variant that uses psycopg; modules are what it requires beside."""
    return Variant(name=name, technique=technique, requires=("psycopg", "psycopg_binary", *modules), commands=COMMANDS)


def with_asyncpg(name: str, technique: Technique[L], *modules: str) -> Variant[L]:
    """A variant that uses asyncpg; modules are what it requires beside."""
    return Variant(name=name, technique=technique, requires=("asyncpg", *modules), commands=COMMANDS)


def psycopg_tasks(size: int) -> Technique[Queries]:
    """Fifty tasks with a pool of psycopg's."""
    return gathered(partial(tasks_with_pool, ask=psycopg_answer, open_pool=psycopg_pool, size=size))


def asyncpg_tasks(size: int, factory: LoopFactory | None = None) -> Technique[Queries]:
    """Fifty tasks with a pool of asyncpg's."""
    return gathered(partial(tasks_with_pool, ask=asyncpg_answer, open_pool=asyncpg_pool, size=size), factory=factory)


SIZES = (1, 10, 50)

VARIANTS: tuple[Variant[Queries], ...] = (
    with_psycopg("sync", sync),
    with_psycopg("threads_10", partial(threads, workers=10)),
    with_psycopg("threads_50", partial(threads, workers=50)),
    with_psycopg(
        "psycopg_async", partial(one_connection, open_pool=psycopg_pool, job=in_turn(psycopg_answer)), "psycopg_pool"
    ),
    with_asyncpg("asyncpg", partial(one_connection, open_pool=asyncpg_pool, job=in_turn(asyncpg_answer))),
    *(with_psycopg(f"threads_pool_{size}", partial(threads_with_pool, size=size), "psycopg_pool") for size in SIZES),
    *(with_psycopg(f"psycopg_async_pool_{size}", psycopg_tasks(size), "psycopg_pool") for size in SIZES),
    *(with_asyncpg(f"asyncpg_pool_{size}", asyncpg_tasks(size)) for size in SIZES),
    with_asyncpg("asyncpg_uvloop_pool_10", asyncpg_tasks(10, uvloop_factory), "uvloop"),
)

POSTGRES_SELECT = Scenario(
    name="postgres_select",
    loads=Loads(
        trial=Queries(count=60, query="SELECT 1"),
        quick=Queries(count=500, query="SELECT 1"),
        standard=Queries(count=5_000, query="SELECT 1"),
    ),
    variants=VARIANTS,
)

POSTGRES_WAIT = Scenario(
    name="postgres_wait",
    loads=Loads(
        trial=Queries(count=10, query="SELECT 1 FROM pg_sleep(0.001)"),
        quick=Queries(count=50, query="SELECT 1 FROM pg_sleep(0.01)"),
        standard=Queries(count=200, query="SELECT 1 FROM pg_sleep(0.01)"),
    ),
    variants=VARIANTS,
)

POSTGRES_TRANSACTIONS = Scenario(
    name="postgres_transactions",
    loads=Loads(trial=Queries(count=60), quick=Queries(count=200), standard=Queries(count=2_000)),
    variants=VARIANTS,
)

POSTGRES_INSERT = Scenario(
    name="postgres_insert",
    loads=Loads(
        trial=Rows(count=10), quick=Rows(count=1_000), standard=Rows(count=10_000), article=Rows(count=200_000)
    ),
    variants=(
        *(with_psycopg(f"psycopg_{method}", partial(sync_insert, method=method)) for method in METHODS),
        *(
            with_psycopg(
                f"psycopg_async_{method}",
                partial(one_connection, open_pool=psycopg_pool, job=psycopg_insert(method)),
                "psycopg_pool",
            )
            for method in METHODS
        ),
        *(
            with_asyncpg(
                f"asyncpg_{method}", partial(one_connection, open_pool=asyncpg_pool, job=asyncpg_insert(method))
            )
            for method in METHODS
        ),
    ),
)

SCENARIOS = (POSTGRES_SELECT, POSTGRES_WAIT, POSTGRES_TRANSACTIONS, POSTGRES_INSERT)
