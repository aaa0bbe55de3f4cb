"""All jobs at once in a pool of processes, which are copies of a small server process."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

from windtunnel_scenarios.cpu_modulo import JOBS, WORKERS, Remainders
from windtunnel_scenarios.cpu_modulo.sync import remainders
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.pools import Start, warm_processes


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """The processes."""
    with warm_processes(WORKERS, Start.FORKSERVER) as pool:

        def run() -> Outcome:
            return (sum(pool.map(remainders, JOBS, repeat(load.iterations))),)

        yield run
