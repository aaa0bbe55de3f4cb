"""The queries one after the other, then the sums."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sqlite import Queries
from windtunnel_scenarios.sqlite.database import connect, database, query


@contextmanager
def prepare(load: Mixed[Queries]) -> Iterator[Run]:
    """The database and a connection for each query."""
    with database(load.waits) as path, ExitStack() as stack:
        connections = tuple(stack.enter_context(closing(connect(path))) for _ in load.waits.periods)

        def run() -> Outcome:
            waited = tuple(query(connection, job) for job, connection in enumerate(connections))
            return waited + tuple(total(load.sums.bound) for _ in range(load.sums.count))

        yield run
