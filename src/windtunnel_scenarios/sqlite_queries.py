"""Slow queries on a database file, which wait or compute, each on a connection of its own or all on one."""

from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from pathlib import Path
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.loops import Coroutines, gathered, opened_on
from windtunnel_scenarios.support.pools import warm_threads

if TYPE_CHECKING:
    import sqlite3

    import aiosqlite

WAIT = "SELECT pause(period) FROM job WHERE id = ?"
SUM = "SELECT sum(n) FROM number WHERE n > ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """How long each query waits, in seconds, or that it computes."""

    periods: tuple[float, ...]
    numbers: int = 0
    """How many numbers a table has, which each query adds up; 0 lets it wait."""

    @property
    def statement(self) -> str:
        """The query."""
        return SUM if self.numbers else WAIT

    @property
    def outcome(self) -> Outcome:
        """What each query returns: its period or its sum."""
        if not self.numbers:
            return self.periods
        total = self.numbers * (self.numbers + 1) / 2
        return tuple(total - job * (job + 1) / 2 for job in range(len(self.periods)))


@contextmanager
def database(load: Queries) -> Iterator[Path]:
    """Create a database file with its rows and SQLite's default journal; nothing is written later."""
    import sqlite3

    with temporary_folder() as folder:
        path = folder / "jobs.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE job (id INTEGER PRIMARY KEY, period REAL NOT NULL)")
            connection.executemany("INSERT INTO job VALUES (?, ?)", enumerate(load.periods))
            connection.execute("CREATE TABLE number (n INTEGER PRIMARY KEY)")
            connection.executemany(
                "INSERT INTO number VALUES (?)", ((number,) for number in range(1, load.numbers + 1))
            )
        yield path


def pause(period: float) -> float:
    """Wait inside SQLite; ``sleep`` releases the GIL, which a function that computes would not."""
    sleep(period)
    return period


@contextmanager
def connections(load: Queries) -> Iterator[tuple["sqlite3.Connection", ...]]:
    """Open a connection for each query, which any thread may use, on a new database."""
    import sqlite3

    with database(load) as path, ExitStack() as stack:
        opened = tuple(
            stack.enter_context(closing(sqlite3.connect(path, check_same_thread=False))) for _ in load.periods
        )
        for connection in opened:
            connection.create_function("pause", 1, pause)
        yield opened


def query(connection: "sqlite3.Connection", statement: str, job: int) -> float:
    """Ask for one job's period, which takes that long, or for a sum."""
    ((answer,),) = connection.execute(statement, (job,))
    return float(answer)


@contextmanager
def sync(load: Queries) -> Iterator[Run]:
    """Make one query after the other with sqlite3."""
    with connections(load) as opened:

        def run() -> Outcome:
            return tuple(query(connection, load.statement, job) for job, connection in enumerate(opened))

        yield run


@contextmanager
def threads(load: Queries) -> Iterator[Run]:
    """Make all queries at once with sqlite3, each in a thread of its own."""
    with warm_threads(len(load.periods)) as pool, connections(load) as opened:

        def run() -> Outcome:
            return tuple(pool.map(query, opened, repeat(load.statement), range(len(opened))))

        yield run


@contextmanager
def threads_shared(load: Queries) -> Iterator[Run]:
    """Make all queries at once with sqlite3, each in a thread of its own, on one connection.

    They take a lock in turn. Without it threads can block each other for ever: one waits for the connection with the
    GIL, the other has the connection and waits for the GIL to return from ``pause``.
    """
    lock = Lock()

    def locked_query(connection: "sqlite3.Connection", job: int) -> float:
        with lock:
            return query(connection, load.statement, job)

    with warm_threads(len(load.periods)) as pool, connections(load) as (shared, *_):

        def run() -> Outcome:
            return tuple(pool.map(locked_query, repeat(shared), range(len(load.periods))))

        yield run


@contextmanager
def aiosqlite_queries(load: Queries, loop: AbstractEventLoop, *, shared: bool = False) -> Iterator[Coroutines]:
    """Make all queries with aiosqlite, which gives each connection a thread; ``shared`` means one for all queries."""
    import aiosqlite

    @asynccontextmanager
    async def connect() -> "AsyncIterator[aiosqlite.Connection]":
        async with aiosqlite.connect(path) as connection:
            await connection.create_function("pause", 1, pause)
            yield connection

    async def async_query(connection: "aiosqlite.Connection", job: int) -> float:
        ((answer,),) = await connection.execute_fetchall(load.statement, (job,))
        return float(answer)

    with database(load) as path, ExitStack() as stack:
        count = 1 if shared else len(load.periods)
        opened = [stack.enter_context(opened_on(loop, connect())) for _ in range(count)]
        yield lambda: (async_query(opened[job % count], job) for job in range(len(load.periods)))


SQLITE = ("_sqlite3",)
AIOSQLITE = ("_sqlite3", "aiosqlite")

SYNC = Variant(name="sync", technique=sync, requires=SQLITE)
AIOSQLITE_GATHER = Variant(name="aiosqlite_gather", technique=gathered(aiosqlite_queries), requires=AIOSQLITE)
THREADS = Variant(name="threads", technique=threads, requires=SQLITE)
AIOSQLITE_SHARED = Variant(
    name="aiosqlite_gather_shared",
    technique=gathered(partial(aiosqlite_queries, shared=True)),
    requires=AIOSQLITE,
)
THREADS_SHARED = Variant(name="threads_shared", technique=threads_shared, requires=SQLITE)


def loads(queries: int) -> Loads[Queries]:
    """Return the loads with so many queries."""
    return Loads(
        trial=Queries(periods=(0.001, 0.002, 0.003)[:queries]),
        quick=Queries(periods=(0.1,) * queries),
        standard=Queries(periods=(0.2,) * queries),
        article=Queries(periods=(0.2,) * queries),
    )


SQLITE_QUERIES = Scenario(
    name="sqlite_queries",
    loads=loads(3),
    variants=(SYNC, AIOSQLITE_GATHER, THREADS, AIOSQLITE_SHARED, THREADS_SHARED),
)
SQLITE_ONE_QUERY = Scenario(name="sqlite_one_query", loads=loads(1), variants=(SYNC, AIOSQLITE_GATHER))
SQLITE_SUMS = Scenario(
    name="sqlite_sums",
    loads=Loads(
        trial=Queries(periods=(0, 0, 0), numbers=100),
        quick=Queries(periods=(0, 0, 0), numbers=100_000),
        standard=Queries(periods=(0, 0, 0), numbers=1_000_000),
    ),
    variants=(SYNC, AIOSQLITE_GATHER, THREADS),
)

SCENARIOS = (SQLITE_QUERIES, SQLITE_ONE_QUERY, SQLITE_SUMS)
