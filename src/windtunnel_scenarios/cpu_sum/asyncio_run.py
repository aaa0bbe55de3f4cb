"""One sum after the other, each coroutine in an ``asyncio.run`` of its own."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.async_sequential import total
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """Nothing to open: each run opens its loops inside the clock."""

    def run() -> Outcome:
        return tuple(asyncio.run(total(load.bound)) for _ in range(load.count))

    yield run
