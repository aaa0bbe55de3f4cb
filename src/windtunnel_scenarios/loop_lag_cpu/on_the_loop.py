"""Sums by the loop's own thread."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.loop_lag.heartbeat import Lag
from windtunnel_scenarios.model import Outcome, Recording
from windtunnel_scenarios.support.loops import kept_loop


@contextmanager
def prepare(load: Sums) -> Iterator[Recording]:
    """A loop."""

    async def job() -> Outcome:
        return tuple(total(load.bound) for _ in range(load.count))

    with kept_loop() as loop:
        yield Lag(loop, job)
