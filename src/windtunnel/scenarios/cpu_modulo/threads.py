"""All jobs at once in a pool of threads: only without a GIL do they run in parallel."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

from windtunnel.scenarios.contract import Outcome, Run
from windtunnel.scenarios.cpu_modulo import JOBS, WORKERS, Remainders
from windtunnel.scenarios.cpu_modulo.sync import remainders
from windtunnel.scenarios.threads import warm_threads


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """The threads."""
    with warm_threads(WORKERS) as pool:

        def run() -> Outcome:
            return (sum(pool.map(remainders, JOBS, repeat(load.iterations))),)

        yield run
