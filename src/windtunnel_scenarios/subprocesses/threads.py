"""All programs from a pool of 16 threads."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.subprocesses import Programs
from windtunnel_scenarios.subprocesses.sync import ended
from windtunnel_scenarios.threads import warm_threads

THREADS = 16


@contextmanager
def prepare(load: Programs) -> Iterator[Run]:
    """The threads."""
    with warm_threads(THREADS) as pool:

        def run() -> Outcome:
            return tuple(pool.map(ended, range(load.count)))

        yield run
