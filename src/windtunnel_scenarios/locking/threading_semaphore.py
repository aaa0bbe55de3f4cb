"""``threading.Semaphore``."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Semaphore

from windtunnel_scenarios.locking import Turns
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Turns) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        lock, turns = Semaphore(), 0
        for _ in range(load.count):
            with lock:
                turns += 1
        return (turns,)

    yield run
