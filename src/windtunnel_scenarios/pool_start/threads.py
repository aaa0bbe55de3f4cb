"""Threads."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.pool_start import Workers
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Workers) -> Iterator[Run]:
    """Nothing to open: that is the job."""

    def run() -> Outcome:
        with warm_threads(load.count) as pool:
            return (sum(pool.map(int, [1] * load.count)),)

    yield run
