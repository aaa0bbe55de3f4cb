"""Blocking calls in asynchronous code, to files and to SQLite: how long they take, and how late another task runs.

Threads are those of asyncio's own executor.
"""

from asyncio import AbstractEventLoop, gather, sleep, to_thread
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from windtunnel_scenarios.files import Targets, Writes, target_files, write
from windtunnel_scenarios.loop_lag import LagRun
from windtunnel_scenarios.model import L, Outcome, RecordingRun, Scenario, Series, Technique, Variant
from windtunnel_scenarios.sqlite_inserts import AIOSQLITE, INSERT, SQLITE, Rows, empty_table
from windtunnel_scenarios.support.loops import event_loop, opened_on

if TYPE_CHECKING:
    import sqlite3

FILES = 10

Job: TypeAlias = Callable[[], Coroutine[Any, Any, Outcome]]

OpenJob: TypeAlias = Callable[[L, AbstractEventLoop], AbstractContextManager[Job]]


def beside_heartbeat(open_job: OpenJob[L]) -> Technique[L]:
    """Return a technique that does a job on a loop beside a task that measures how late it runs."""

    @contextmanager
    def technique(load: L, /) -> Iterator[RecordingRun]:
        with event_loop() as loop, open_job(load, loop) as job:
            yield LagRun(loop, job)

    return technique


def write_all(files: Targets) -> Outcome:
    """Write one file after the other."""
    return tuple(write(path, files.data, False) for path in files.paths)  # noqa: FBT003 - to the page cache


def write_one(files: Targets, number: int) -> int:
    """Write one of the files."""
    return write(files.paths[number], files.data, False)  # noqa: FBT003 - to the page cache


async def blocking(files: Targets) -> Outcome:
    """Write all files on the loop's thread, without an await."""
    return write_all(files)


async def blocking_sleep_0(files: Targets) -> Outcome:
    """Write on the loop's thread, and let the loop run after each file."""
    written = list[int]()
    for number in range(FILES):
        written.append(write_one(files, number))
        await sleep(0)
    return tuple(written)


async def one_to_thread(files: Targets) -> Outcome:
    """Write all files in one call of ``asyncio.to_thread``."""
    return await to_thread(write_all, files)


async def to_thread_each(files: Targets) -> Outcome:
    """Write with an ``asyncio.to_thread`` for each file, one after the other."""
    return tuple([await to_thread(write_one, files, number) for number in range(FILES)])


async def to_thread_gather(files: Targets) -> Outcome:
    """Write with an ``asyncio.to_thread`` for each file, all at once."""
    return tuple(await gather(*(to_thread(write_one, files, number) for number in range(FILES))))


async def aiofiles_write(files: Targets, number: int) -> int:
    """Write one file with aiofiles."""
    import aiofiles

    async with aiofiles.open(files.paths[number], "wb") as file:
        return await file.write(files.data)


async def aiofiles_each(files: Targets) -> Outcome:
    """Write with aiofiles, one file after the other."""
    return tuple([await aiofiles_write(files, number) for number in range(FILES)])


async def aiofiles_gather(files: Targets) -> Outcome:
    """Write with aiofiles, all files at once."""
    return tuple(await gather(*(aiofiles_write(files, number) for number in range(FILES))))


def files_variant(write_files: Callable[[Targets], Coroutine[Any, Any, Outcome]], *requires: str) -> Variant[Writes]:
    """A variant that writes files in this way."""

    @contextmanager
    def open_job(load: Writes, _loop: AbstractEventLoop) -> Iterator[Job]:
        with target_files(load) as files:
            yield partial(write_files, files)

    return Variant(name=write_files.__name__, technique=beside_heartbeat(open_job), requires=requires)


BLOCKING_FILES = Scenario(
    name="blocking_files",
    loads=Series(
        trial=Writes(count=FILES, size=100),
        points={
            name: Writes(count=FILES, size=size)
            for name, size in (("4_kib", 2**12), ("64_kib", 2**16), ("1_mib", 2**20), ("16_mib", 2**24))
        },
    ),
    variants=(
        files_variant(blocking),
        files_variant(blocking_sleep_0),
        files_variant(one_to_thread),
        files_variant(to_thread_each),
        files_variant(to_thread_gather),
        files_variant(aiofiles_each, "aiofiles"),
        files_variant(aiofiles_gather, "aiofiles"),
    ),
)


def insert_all(connection: "sqlite3.Connection", rows: list[tuple[str, float]]) -> None:
    """Insert the rows in one transaction."""
    for row in rows:
        connection.execute(INSERT, row)
    connection.commit()


async def insert_blocking(connection: "sqlite3.Connection", rows: list[tuple[str, float]]) -> None:
    """Insert on the loop's thread, without an await."""
    insert_all(connection, rows)


async def insert_blocking_sleep_0(connection: "sqlite3.Connection", rows: list[tuple[str, float]]) -> None:
    """Insert on the loop's thread, and let the loop run after each row."""
    for row in rows:
        connection.execute(INSERT, row)
        await sleep(0)
    connection.commit()


async def insert_one_to_thread(connection: "sqlite3.Connection", rows: list[tuple[str, float]]) -> None:
    """Insert all rows in one call of ``asyncio.to_thread``."""
    await to_thread(insert_all, connection, rows)


async def insert_to_thread_each(connection: "sqlite3.Connection", rows: list[tuple[str, float]]) -> None:
    """Insert with an ``asyncio.to_thread`` for each call."""
    for row in rows:
        await to_thread(connection.execute, INSERT, row)
    await to_thread(connection.commit)


async def insert_aiosqlite(connection: Any, rows: list[tuple[str, float]]) -> None:
    """Insert with aiosqlite, which has a thread for the connection."""
    for row in rows:
        await connection.execute(INSERT, row)
    await connection.commit()


async def changes(connection: Any, insert: Coroutine[Any, Any, None]) -> Outcome:
    """Insert; return how many rows came to the table."""
    before = connection.total_changes
    await insert
    return (connection.total_changes - before,)


@contextmanager
def sqlite_connection() -> "Iterator[sqlite3.Connection]":
    """Open a database file for any thread."""
    import sqlite3

    with empty_table() as path, closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        yield connection


@contextmanager
def aiosqlite_connection(loop: AbstractEventLoop) -> Iterator[Any]:
    """Open a database file with aiosqlite."""
    import aiosqlite

    with empty_table() as path, opened_on(loop, aiosqlite.connect(path)) as connection:
        yield connection


def sqlite_variant(name: str, insert: Callable[[Any, Any], Coroutine[Any, Any, None]]) -> Variant[Rows]:
    """A variant that inserts in this way."""
    with_library = insert is insert_aiosqlite

    @contextmanager
    def open_job(load: Rows, loop: AbstractEventLoop) -> Iterator[Job]:
        rows = load.unnumbered()
        with aiosqlite_connection(loop) if with_library else sqlite_connection() as connection:
            yield lambda: changes(connection, insert(connection, rows))

    return Variant(name=name, technique=beside_heartbeat(open_job), requires=AIOSQLITE if with_library else SQLITE)


BLOCKING_SQLITE = Scenario(
    name="blocking_sqlite",
    loads=Series(
        trial=Rows(count=3), points={f"{count}_rows": Rows(count=count) for count in (1, 10, 100, 1_000, 10_000)}
    ),
    variants=(
        sqlite_variant("blocking", insert_blocking),
        sqlite_variant("blocking_sleep_0", insert_blocking_sleep_0),
        sqlite_variant("one_to_thread", insert_one_to_thread),
        sqlite_variant("to_thread_each", insert_to_thread_each),
        sqlite_variant("aiosqlite", insert_aiosqlite),
    ),
)

SCENARIOS = (BLOCKING_FILES, BLOCKING_SQLITE)
