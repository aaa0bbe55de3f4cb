"""An ``INSERT`` and a commit for each row with aiosqlite."""

from collections.abc import Iterator
from contextlib import contextmanager

import aiosqlite

from windtunnel_scenarios.bulk_insert import Rows
from windtunnel_scenarios.bulk_insert.table import table
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.row_commits.lines import INSERT, lines
from windtunnel_scenarios.support.loops import driven, kept_loop, opened_on


@contextmanager
def prepare(load: Rows) -> Iterator[Run]:
    """The table, a loop, a connection on it and the rows."""
    with table() as path, kept_loop() as loop, opened_on(loop, aiosqlite.connect(path)) as connection:
        made = lines(load)

        async def job() -> Outcome:
            before = connection.total_changes
            for line in made:
                await connection.execute(INSERT, line)
                await connection.commit()
            return (connection.total_changes - before,)

        yield driven(loop, job)
