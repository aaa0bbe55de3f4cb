"""All at once with sqlite3, each query in a thread of its own."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sqlite import Queries
from windtunnel_scenarios.sqlite.database import connect, database, query
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Queries) -> Iterator[Run]:
    """The database, a connection and a thread for each query."""
    with database(load) as path, ExitStack() as stack, warm_threads(len(load.periods)) as pool:
        connections = tuple(stack.enter_context(closing(connect(path))) for _ in load.periods)

        def run() -> Outcome:
            return tuple(pool.map(query, connections, count()))

        yield run
