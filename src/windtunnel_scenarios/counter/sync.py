"""One thread counts for all, in a tally for each worker."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.counter import WORKERS, Counts
from windtunnel_scenarios.counter.tally import Tally
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Counts) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        tallies = [Tally() for _ in range(WORKERS)]
        for tally in tallies:
            tally.count(load.count)
        return (sum(tally.value for tally in tallies),)

    yield run
