"""An ``INSERT`` and a commit for each row with sqlite3."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from windtunnel_scenarios.bulk_insert import Rows
from windtunnel_scenarios.bulk_insert.table import table
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.row_commits.lines import INSERT, lines


@contextmanager
def prepare(load: Rows) -> Iterator[Run]:
    """The table, a connection and the rows."""
    with table() as path, closing(sqlite3.connect(path)) as connection:
        made = lines(load)

        def run() -> Outcome:
            before = connection.total_changes
            for line in made:
                connection.execute(INSERT, line)
                connection.commit()
            return (connection.total_changes - before,)

        yield run
