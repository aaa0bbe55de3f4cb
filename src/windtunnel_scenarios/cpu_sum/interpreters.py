"""All sums at once, each in an interpreter of its own within this process."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.interpreters import warm_interpreters


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """An interpreter for each sum."""
    with warm_interpreters(load.count) as pool:

        def run() -> Outcome:
            return tuple(pool.map(total, [load.bound] * load.count))

        yield run
