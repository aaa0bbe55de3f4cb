"""All rows in one ``executemany`` with sqlite3."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from windtunnel_scenarios.bulk_insert import Rows
from windtunnel_scenarios.bulk_insert.table import INSERT, rows, table
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Rows) -> Iterator[Run]:
    """The table, a connection and the rows."""
    with table() as path, closing(sqlite3.connect(path)) as connection:
        lines = rows(load)

        def run() -> Outcome:
            before = connection.total_changes
            connection.executemany(INSERT, lines)
            inserted = connection.total_changes - before
            connection.rollback()
            return (inserted,)

        yield run
