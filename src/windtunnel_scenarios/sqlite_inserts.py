"""Inserting rows into a database file: many in one transaction, and few with a commit for each."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.loops import event_loop, opened_on, run_on

INSERT = "INSERT INTO line (name, price) VALUES (?, ?)"
INSERT_WITH_ID = "INSERT INTO line (id, name, price) VALUES (?, ?, ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How many rows."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many rows the database reports as inserted."""
        return (self.count,)

    def numbered(self) -> list[tuple[int, str, float]]:
        """The rows with their numbers."""
        return [(number, f"article {number}", number / 100) for number in range(self.count)]

    def unnumbered(self) -> list[tuple[str, float]]:
        """The rows for a table that keeps those of earlier runs; the database numbers them."""
        return [(name, price) for _, name, price in self.numbered()]


@contextmanager
def empty_table() -> Iterator[Path]:
    """Create a database file with the table."""
    import sqlite3

    with temporary_folder() as folder:
        path = folder / "lines.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE line (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL)")
        yield path


@contextmanager
def bulk_insert(load: Rows, *, executemany: bool) -> Iterator[Run]:
    """Insert all rows with sqlite3 and roll back, so the table stays empty."""
    import sqlite3

    with empty_table() as path, closing(sqlite3.connect(path)) as connection:
        rows = load.numbered()

        def run() -> Outcome:
            before = connection.total_changes
            if executemany:
                connection.executemany(INSERT_WITH_ID, rows)
            else:
                for row in rows:
                    connection.execute(INSERT_WITH_ID, row)
            inserted = connection.total_changes - before
            connection.rollback()
            return (inserted,)

        yield run


@contextmanager
def aiosqlite_bulk_insert(load: Rows, *, executemany: bool) -> Iterator[Run]:
    """Insert all rows with aiosqlite and roll back, so the table stays empty."""
    import aiosqlite

    with empty_table() as path, event_loop() as loop, opened_on(loop, aiosqlite.connect(path)) as connection:
        rows = load.numbered()

        async def job() -> Outcome:
            before = connection.total_changes
            if executemany:
                await connection.executemany(INSERT_WITH_ID, rows)
            else:
                for row in rows:
                    await connection.execute(INSERT_WITH_ID, row)
            inserted = connection.total_changes - before
            await connection.rollback()
            return (inserted,)

        yield run_on(loop, job)


@contextmanager
def row_commits(load: Rows) -> Iterator[Run]:
    """Insert the rows with sqlite3 and commit each."""
    import sqlite3

    with empty_table() as path, closing(sqlite3.connect(path)) as connection:
        rows = load.unnumbered()

        def run() -> Outcome:
            before = connection.total_changes
            for row in rows:
                connection.execute(INSERT, row)
                connection.commit()
            return (connection.total_changes - before,)

        yield run


@contextmanager
def aiosqlite_row_commits(load: Rows) -> Iterator[Run]:
    """Insert the rows with aiosqlite and commit each."""
    import aiosqlite

    with empty_table() as path, event_loop() as loop, opened_on(loop, aiosqlite.connect(path)) as connection:
        rows = load.unnumbered()

        async def job() -> Outcome:
            before = connection.total_changes
            for row in rows:
                await connection.execute(INSERT, row)
                await connection.commit()
            return (connection.total_changes - before,)

        yield run_on(loop, job)


SQLITE = ("_sqlite3",)
AIOSQLITE = ("_sqlite3", "aiosqlite")

BULK_INSERT = Scenario(
    name="sqlite_bulk_insert",
    loads=Loads(
        trial=Rows(count=10), quick=Rows(count=2_000), standard=Rows(count=10_000), article=Rows(count=200_000)
    ),
    variants=(
        Variant(name="row_by_row", technique=partial(bulk_insert, executemany=False), requires=SQLITE),
        Variant(name="executemany", technique=partial(bulk_insert, executemany=True), requires=SQLITE),
        Variant(
            name="aiosqlite_row_by_row", technique=partial(aiosqlite_bulk_insert, executemany=False), requires=AIOSQLITE
        ),
        Variant(
            name="aiosqlite_executemany", technique=partial(aiosqlite_bulk_insert, executemany=True), requires=AIOSQLITE
        ),
    ),
)

ROW_COMMITS = Scenario(
    name="sqlite_row_commits",
    loads=Loads(trial=Rows(count=2), quick=Rows(count=20), standard=Rows(count=100), article=Rows(count=500)),
    variants=(
        Variant(name="sync", technique=row_commits, requires=SQLITE),
        Variant(name="aiosqlite", technique=aiosqlite_row_commits, requires=AIOSQLITE),
    ),
)

SCENARIOS = (BULK_INSERT, ROW_COMMITS)
