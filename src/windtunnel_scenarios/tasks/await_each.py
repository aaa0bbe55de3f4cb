"""A coroutine awaited for each unit: no task is made."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.tasks import Units


@contextmanager
def prepare(load: Units) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        return (sum([await unit(number) for number in range(load.count)]),)

    with kept_loop() as loop:
        yield driven(loop, job)


async def unit(number: int) -> int:
    """No work, and nothing awaited."""
    return number
