"""Interpreters within this process."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.pool_start import Workers
from windtunnel_scenarios.support.interpreters import warm_interpreters


@contextmanager
def prepare(load: Workers) -> Iterator[Run]:
    """Nothing to open: that is the job."""

    def run() -> Outcome:
        with warm_interpreters(load.count) as pool:
            return (sum(pool.map(int, [1] * load.count)),)

    yield run
