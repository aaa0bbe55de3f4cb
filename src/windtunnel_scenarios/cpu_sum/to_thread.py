"""All sums at once, each handed to the loop's thread pool with ``asyncio.to_thread``."""

from asyncio import gather, to_thread
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """A loop, and a thread for each sum as its default executor."""
    with warm_threads(load.count) as pool, kept_loop(pool) as loop:

        async def job() -> Outcome:
            return tuple(await gather(*(to_thread(total, load.bound) for _ in range(load.count))))

        yield driven(loop, job)
