"""Threads with one tally for all."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.counter import WORKERS, Counts
from windtunnel_scenarios.counter.tally import Tally
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Counts) -> Iterator[Run]:
    """The threads."""
    with warm_threads(WORKERS) as pool:

        def run() -> Outcome:
            tallies = [Tally()] * WORKERS
            for counting in [pool.submit(tally.count, load.count) for tally in tallies]:
                counting.result()
            return (sum(tally.value for tally in set(tallies)),)

        yield run
