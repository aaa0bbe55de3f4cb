"""All sums at once, each in a thread of its own: only without a GIL do they run in parallel."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """A thread for each sum."""
    with warm_threads(load.count) as pool:

        def run() -> Outcome:
            return tuple(pool.map(total, [load.bound] * load.count))

        yield run
