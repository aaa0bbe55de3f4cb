"""One ``time.sleep`` after the other."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sleep import Sleeps


@contextmanager
def prepare(load: Sleeps) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        return tuple(pause(period) for period in load.periods)

    yield run


def pause(period: float) -> float:
    """Wait, holding this thread."""
    sleep(period)
    return period
