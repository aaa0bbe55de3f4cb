"""All at once, each file written by a thread of a pool."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

from windtunnel_scenarios.files import WORKERS, Writes
from windtunnel_scenarios.files.plain import write
from windtunnel_scenarios.files.targets import targets
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files and the pool."""
    with targets(load) as files, warm_threads(WORKERS) as pool:

        def run() -> Outcome:
            return tuple(pool.map(write, files.paths, repeat(files.data), repeat(load.durable)))

        yield run
