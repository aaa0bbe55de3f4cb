"""An empty table in a database file, and what goes into it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from windtunnel_scenarios.bulk_insert import Rows
from windtunnel_scenarios.support.folders import kept_folder

INSERT = "INSERT INTO line (id, name, price) VALUES (?, ?, ?)"


@contextmanager
def table() -> Iterator[Path]:
    """A database file with the table; every run ends with a rollback, so it stays empty."""
    with kept_folder() as folder:
        path = folder / "lines.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE line (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL)")
        yield path


def rows(load: Rows) -> tuple[tuple[int, str, float], ...]:
    """The rows, made before the clock starts."""
    return tuple((number, f"article {number}", number / 100) for number in range(load.count))
