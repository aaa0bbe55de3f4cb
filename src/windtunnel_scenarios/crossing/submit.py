"""``submit`` and ``result`` of a thread pool, without a loop."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.crossing import Crossings
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.tasks.call import unit
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Crossings) -> Iterator[Run]:
    """A thread."""
    with warm_threads(1) as pool:

        def run() -> Outcome:
            return (sum([pool.submit(unit, number).result() for number in range(load.count)]),)

        yield run
