"""All rows in one ``executemany`` with aiosqlite."""

from collections.abc import Iterator
from contextlib import contextmanager

import aiosqlite

from windtunnel_scenarios.bulk_insert import Rows
from windtunnel_scenarios.bulk_insert.table import INSERT, rows, table
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop, opened_on


@contextmanager
def prepare(load: Rows) -> Iterator[Run]:
    """The table, a loop, a connection on it and the rows."""
    with table() as path, kept_loop() as loop, opened_on(loop, aiosqlite.connect(path)) as connection:
        lines = rows(load)

        async def job() -> Outcome:
            before = connection.total_changes
            await connection.executemany(INSERT, lines)
            inserted = connection.total_changes - before
            await connection.rollback()
            return (inserted,)

        yield driven(loop, job)
