"""``asyncio.Lock``."""

from asyncio import Lock
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.locking import Turns
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Turns) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        lock, turns = Lock(), 0
        for _ in range(load.count):
            async with lock:
                turns += 1
        return (turns,)

    with kept_loop() as loop:
        yield driven(loop, job)
