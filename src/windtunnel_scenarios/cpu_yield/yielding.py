"""Sums that yield: the variants differ in how often."""

from asyncio import gather, sleep
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def sums_that_yield(load: Sums, every: int) -> Iterator[Run]:
    """All sums in ``asyncio.gather``, each yielding after ``every`` additions."""

    async def job() -> Outcome:
        return tuple(await gather(*(total(load.bound, every) for _ in range(load.count))))

    with kept_loop() as loop:
        yield driven(loop, job)


async def total(bound: int, every: int) -> int:
    """Add up in a loop, one number at a time."""
    result = 0
    for start in range(0, bound, every):
        for number in range(start, min(start + every, bound)):
            result += number
        await sleep(0)
    return result
