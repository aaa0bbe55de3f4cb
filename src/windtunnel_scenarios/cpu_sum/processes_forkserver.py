"""All sums at once, each in a process of its own; the processes are copies of a small server process."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.pools import Start, warm_processes


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """A process for each sum."""
    with warm_processes(load.count, Start.FORKSERVER) as pool:

        def run() -> Outcome:
            return tuple(pool.map(total, [load.bound] * load.count))

        yield run
