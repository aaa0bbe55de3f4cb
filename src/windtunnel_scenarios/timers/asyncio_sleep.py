"""``asyncio.sleep`` in so many tasks."""

from asyncio import gather, sleep
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.timers import Timers


@contextmanager
def prepare(load: Timers) -> Iterator[Run]:
    """A loop."""
    with kept_loop() as loop:
        yield driven(loop, lambda: rings(load))


async def rings(load: Timers) -> Outcome:
    """Wait for all timers; how many rang."""
    return (sum(await gather(*(sleep(load.period, 1) for _ in range(load.count)))),)
