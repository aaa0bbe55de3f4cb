"""Reading and writing rows of a database file with SQLite's write-ahead log, from one or several threads and tasks."""

from asyncio import gather
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.sqlite_queries import AIOSQLITE, SQLITE
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.loops import event_loop, opened_on, run_on
from windtunnel_scenarios.support.pools import warm_threads

if TYPE_CHECKING:
    import sqlite3

    import aiosqlite

WORKERS = 4

ROWS = 1_000

READS = 10
"""Reads before each write: most databases are read more than written."""

SETTINGS = ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", "PRAGMA busy_timeout=60000")
"""What SQLite's manual advises for a program with several connections. No commit waits for the disk."""

SELECT = "SELECT value FROM item WHERE id = ?"
UPDATE = "UPDATE item SET value = value + 1 WHERE id = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadsAndWrites:
    """How many writes, each after ten reads and with a commit."""

    writes: int
    """A multiple of the workers."""

    @property
    def outcome(self) -> Outcome:
        """How many rows were read and how many written."""
        return (self.writes * READS, self.writes)


@contextmanager
def database() -> Iterator[Path]:
    """Create a database file in WAL mode."""
    import sqlite3

    with temporary_folder() as folder:
        path = folder / "items.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(SETTINGS[0]).fetchall()  # PyPy commits nothing while an answer is unread
            connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
            connection.executemany("INSERT INTO item VALUES (?, 0)", ((number,) for number in range(ROWS)))
        yield path


def connect(path: Path) -> "sqlite3.Connection":
    """Open a connection that any thread may use, without transactions of Python's own."""
    import sqlite3

    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    for setting in SETTINGS:
        connection.execute(setting).fetchall()
    return connection


def work(
    connection: "sqlite3.Connection", first: int, writes: int, write_lock: AbstractContextManager[object]
) -> tuple[int, int]:
    """Read and write; return how many rows were read and how many written."""
    read = written = 0
    for number in range(first, first + writes):
        for row in range(READS):
            ((_,),) = connection.execute(SELECT, ((number * READS + row) % ROWS,))
            read += 1
        with write_lock:
            written += connection.execute(UPDATE, (number % ROWS,)).rowcount
    return read, written


@contextmanager
def sync(load: ReadsAndWrites) -> Iterator[Run]:
    """Do all on one connection."""
    with database() as path, closing(connect(path)) as connection:
        yield lambda: work(connection, 0, load.writes, nullcontext())


@contextmanager
def threads(load: ReadsAndWrites, *, write_lock: AbstractContextManager[object]) -> Iterator[Run]:
    """Share the work among four threads, each with a connection."""
    share = load.writes // WORKERS
    with warm_threads(WORKERS) as pool, database() as path, ExitStack() as stack:
        opened = [stack.enter_context(closing(connect(path))) for _ in range(WORKERS)]

        def run() -> Outcome:
            firsts = range(0, load.writes, share)
            return total(pool.map(work, opened, firsts, [share] * WORKERS, [write_lock] * WORKERS))

        yield run


def total(done: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Add up what workers did."""
    reads, writes = zip(*done, strict=True)
    return sum(reads), sum(writes)


@contextmanager
def aiosqlite_tasks(load: ReadsAndWrites, *, connections: int) -> Iterator[Run]:
    """Share the work among four tasks that use aiosqlite, with a connection each or one for all."""
    import aiosqlite

    @asynccontextmanager
    async def open_connection() -> "AsyncIterator[aiosqlite.Connection]":
        async with aiosqlite.connect(path, isolation_level=None) as connection:
            for setting in SETTINGS:
                await connection.execute_fetchall(setting)
            yield connection

    async def async_work(connection: "aiosqlite.Connection", first: int) -> tuple[int, int]:
        read = written = 0
        for number in range(first, first + share):
            for row in range(READS):
                ((_,),) = await connection.execute_fetchall(SELECT, ((number * READS + row) % ROWS,))
                read += 1
            cursor = await connection.execute(UPDATE, (number % ROWS,))  # `async with` would make a second trip
            written += cursor.rowcount
        return read, written

    share = load.writes // WORKERS
    with database() as path, event_loop() as loop, ExitStack() as stack:
        opened = [stack.enter_context(opened_on(loop, open_connection())) for _ in range(connections)]

        async def job() -> Outcome:
            workers = enumerate(range(0, load.writes, share))
            return total(await gather(*(async_work(opened[worker % connections], first) for worker, first in workers)))

        yield run_on(loop, job)


SQLITE_WAL = Scenario(
    name="sqlite_wal",
    loads=Loads(
        trial=ReadsAndWrites(writes=8),
        quick=ReadsAndWrites(writes=200),
        standard=ReadsAndWrites(writes=4_000),
    ),
    variants=(
        Variant(name="sync", technique=sync, requires=SQLITE),
        Variant(name="threads", technique=partial(threads, write_lock=nullcontext()), requires=SQLITE),
        Variant(name="threads_lock", technique=partial(threads, write_lock=Lock()), requires=SQLITE),
        Variant(name="aiosqlite_own", technique=partial(aiosqlite_tasks, connections=WORKERS), requires=AIOSQLITE),
        Variant(name="aiosqlite_shared", technique=partial(aiosqlite_tasks, connections=1), requires=AIOSQLITE),
    ),
)

SCENARIOS = (SQLITE_WAL,)
