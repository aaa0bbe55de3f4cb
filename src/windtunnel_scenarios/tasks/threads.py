"""A call in a pool of four threads for each unit."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.tasks import Units
from windtunnel_scenarios.tasks.call import unit
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Units) -> Iterator[Run]:
    """The threads."""
    with warm_threads(4) as pool:

        def run() -> Outcome:
            return (sum(pool.map(unit, range(load.count))),)

        yield run
