"""One sum after the other, each in a coroutine that awaits nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        return tuple([await total(load.bound) for _ in range(load.count)])

    with kept_loop() as loop:
        yield driven(loop, job)


async def total(bound: int) -> int:
    """Add up in a loop, one number at a time."""
    result = 0
    for number in range(bound):
        result += number
    return result
