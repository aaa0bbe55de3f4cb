"""All at once with ``asyncio.gather``."""

from asyncio import gather, sleep
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.sleep import Sleeps
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Sleeps) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        return tuple(await gather(*(sleep(period, period) for period in load.periods)))

    with kept_loop() as loop:
        yield driven(loop, job)
