"""Inserting rows that stay: a commit for each, one transaction, or in bulk; SQLite files and PostgreSQL.

Each commit waits for the disk: SQLite with its default settings, PostgreSQL with ``fsync`` on.
"""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from windtunnel_scenarios.model import Outcome, Run, Scenario, Series, Variant
from windtunnel_scenarios.postgres import asyncpg_pool, connect, with_asyncpg, with_psycopg
from windtunnel_scenarios.support.database_servers import Commands, DatabaseServer, database_server, postgres_commands
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.loops import event_loop, opened_on
from windtunnel_scenarios.support.storage import Storage, find_folders

if TYPE_CHECKING:
    import asyncpg
    import psycopg

CREATE = "CREATE TABLE IF NOT EXISTS item (id {key}, name TEXT NOT NULL, price DOUBLE PRECISION NOT NULL)"
INSERT = "INSERT INTO item (name, price) "
COUNT = "SELECT count(*) FROM item"
SQLITE_ROOM = 2**26
"""Bytes that the largest file takes, with its journal."""

Row: TypeAlias = tuple[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How many rows."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """By how many rows the table grew."""
        return (self.count,)

    def values(self) -> list[Row]:
        """The rows; the database numbers them."""
        return [(f"article {number}", number / 100) for number in range(self.count)]


class InsertRun:
    """A run that inserts and counts; ``prepare`` empties the table outside the clock."""

    def __init__(self, insert: Callable[[], None], count: Callable[[], int], empty: Callable[[], object]) -> None:
        self._insert, self._count, self._empty = insert, count, empty

    def prepare(self) -> None:
        """Before each timed run: empty the table."""
        self._empty()

    def __call__(self) -> Outcome:
        before = self._count()
        self._insert()
        return (self._count() - before,)


@contextmanager
def sqlite(load: Rows, *, method: str, journal: str) -> Iterator[Run]:
    """Insert with sqlite3."""
    import sqlite3

    rows = load.values()
    with (
        temporary_folder(find_folders(Storage.DISK, SQLITE_ROOM)[0]) as folder,
        closing(sqlite3.connect(Path(folder) / "items.sqlite")) as connection,
    ):
        connection.execute(f"PRAGMA journal_mode={journal}")
        connection.execute(CREATE.format(key="INTEGER PRIMARY KEY"))

        def insert() -> None:
            if method == "executemany":
                connection.executemany(f"{INSERT} VALUES (?, ?)", rows)
            else:
                for row in rows:
                    connection.execute(f"{INSERT} VALUES (?, ?)", row)
                    if method == "commit_each":
                        connection.commit()
            connection.commit()

        def count() -> int:
            ((found,),) = connection.execute(COUNT)
            return int(found)

        def empty() -> None:
            connection.execute("DELETE FROM item")
            connection.commit()

        yield InsertRun(insert, count, empty)


def durable_postgres_commands(folder: Path, server: DatabaseServer) -> Commands:
    """Return the commands of a PostgreSQL whose commits wait for the disk, unlike those of other scenarios."""
    commands = postgres_commands(folder, server)
    return replace(commands, serve=commands.serve.replace("--fsync=off", "--fsync=on"))


@contextmanager
def psycopg_rows(load: Rows, *, method: str) -> Iterator[Run]:
    """Insert with psycopg."""
    with database_server(durable_postgres_commands) as server, connect(server) as connection:
        connection.execute(CREATE.format(key="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"))
        rows = load.values()

        def count() -> int:
            ((found,),) = connection.execute(COUNT).fetchall()
            return int(found)

        yield InsertRun(partial(psycopg_insert, connection, method, rows), count, partial(truncate, connection))


def truncate(connection: "psycopg.Connection[Any]") -> None:
    """Empty the table."""
    connection.execute("TRUNCATE item")


def psycopg_insert(connection: "psycopg.Connection[Any]", method: str, rows: Sequence[Row]) -> None:
    """Insert the rows; each statement commits by itself outside a transaction."""
    if method == "commit_each":
        for row in rows:
            connection.execute(f"{INSERT} VALUES (%s, %s)", row)
        return
    with connection.transaction(), connection.cursor() as cursor:
        if method == "executemany":
            cursor.executemany(f"{INSERT} VALUES (%s, %s)", rows)
        elif method == "unnest":
            names, prices = zip(*rows, strict=True)
            cursor.execute(
                "INSERT INTO item (name, price) SELECT * FROM unnest(%s::text[], %s::float8[])",
                (list(names), list(prices)),
            )
        elif method == "copy":
            with cursor.copy("COPY item (name, price) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            for row in rows:
                cursor.execute(f"{INSERT} VALUES (%s, %s)", row)


@contextmanager
def asyncpg_rows(load: Rows, *, method: str) -> Iterator[Run]:
    """Insert with asyncpg."""
    with (
        database_server(durable_postgres_commands) as server,
        event_loop() as loop,
        asyncpg_pool(loop, server, 1) as acquire,
        opened_on(loop, acquire()) as connection,
    ):
        finish(loop, connection.execute(CREATE.format(key="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")))
        rows = load.values()
        yield InsertRun(
            lambda: finish(loop, asyncpg_insert(connection, method, rows)),
            lambda: int(finish(loop, connection.fetchval(COUNT))),
            lambda: finish(loop, connection.execute("TRUNCATE item")),
        )


def finish(loop: AbstractEventLoop, job: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine on a loop."""
    return loop.run_until_complete(job)


async def asyncpg_insert(connection: "asyncpg.Connection[Any]", method: str, rows: Sequence[Row]) -> None:
    """Insert the rows; each statement commits by itself outside a transaction."""
    if method == "commit_each":
        for row in rows:
            await connection.execute(f"{INSERT} VALUES ($1, $2)", *row)
        return
    async with connection.transaction():
        if method == "executemany":
            await connection.executemany(f"{INSERT} VALUES ($1, $2)", rows)
        elif method == "unnest":
            names, prices = zip(*rows, strict=True)
            await connection.execute(
                "INSERT INTO item (name, price) SELECT * FROM unnest($1::text[], $2::float8[])", names, prices
            )
        elif method == "copy":
            await connection.copy_records_to_table("item", records=rows, columns=("name", "price"))
        else:
            for row in rows:
                await connection.execute(f"{INSERT} VALUES ($1, $2)", *row)


SQLITE_METHODS = ("commit_each", "transaction", "executemany")
POSTGRES_METHODS = (*SQLITE_METHODS, "unnest", "copy")

INSERT_ROWS = Scenario(
    name="insert_rows",
    loads=Series(
        trial=Rows(count=3), points={f"{count}_rows": Rows(count=count) for count in (10, 100, 1_000, 10_000)}
    ),
    variants=(
        *(
            Variant(
                name=f"{name}_{method}",
                technique=partial(sqlite, method=method, journal=journal),
                requires=("_sqlite3",),
            )
            for name, journal in (("sqlite", "delete"), ("sqlite_wal", "wal"))
            for method in SQLITE_METHODS
        ),
        *(with_psycopg(f"psycopg_{method}", partial(psycopg_rows, method=method)) for method in POSTGRES_METHODS),
        *(with_asyncpg(f"asyncpg_{method}", partial(asyncpg_rows, method=method)) for method in POSTGRES_METHODS),
    ),
)

SCENARIOS = (INSERT_ROWS,)
