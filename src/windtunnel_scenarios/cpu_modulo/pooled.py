"""All jobs at once in so many threads: the variants differ in how many, and in what the interpreter is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

from windtunnel_scenarios.cpu_modulo import JOBS, Remainders
from windtunnel_scenarios.cpu_modulo.sync import remainders
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def pooled(load: Remainders, threads: int) -> Iterator[Run]:
    """The threads."""
    with warm_threads(threads) as pool:

        def run() -> Outcome:
            return (sum(pool.map(remainders, JOBS, repeat(load.iterations))),)

        yield run
