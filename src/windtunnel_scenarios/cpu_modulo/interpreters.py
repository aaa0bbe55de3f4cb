"""All jobs at once in a pool of interpreters within this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

from windtunnel_scenarios.cpu_modulo import JOBS, WORKERS, Remainders
from windtunnel_scenarios.cpu_modulo.sync import remainders
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.interpreters import warm_interpreters


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """The interpreters."""
    with warm_interpreters(WORKERS) as pool:

        def run() -> Outcome:
            return (sum(pool.map(remainders, JOBS, repeat(load.iterations))),)

        yield run
