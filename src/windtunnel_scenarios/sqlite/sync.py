"""One query after the other with sqlite3."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sqlite import Queries
from windtunnel_scenarios.sqlite.database import connect, database, query


@contextmanager
def prepare(load: Queries) -> Iterator[Run]:
    """The database and a connection for each query."""
    with database(load) as path, ExitStack() as stack:
        connections = tuple(stack.enter_context(closing(connect(path))) for _ in load.periods)

        def run() -> Outcome:
            return tuple(query(connection, job) for job, connection in enumerate(connections))

        yield run
