"""All sums given to ``asyncio.gather``, which cannot interleave coroutines that await nothing."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.async_sequential import total
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        return tuple(await gather(*(total(load.bound) for _ in range(load.count))))

    with kept_loop() as loop:
        yield driven(loop, job)
