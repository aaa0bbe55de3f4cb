"""All at once, each ``time.sleep`` in a thread of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sleep import Sleeps
from windtunnel_scenarios.sleep.sync import pause
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Sleeps) -> Iterator[Run]:
    """A thread for each period."""
    with warm_threads(len(load.periods)) as pool:

        def run() -> Outcome:
            return tuple(pool.map(pause, load.periods))

        yield run
