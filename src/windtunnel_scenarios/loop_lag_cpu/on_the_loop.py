"""Sums by the loop's own thread."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.contract import Outcome, Recording
from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.loop import kept_loop
from windtunnel_scenarios.loop_lag.heartbeat import Lag


@contextmanager
def prepare(load: Sums) -> Iterator[Recording]:
    """A loop."""

    async def job() -> Outcome:
        return tuple(total(load.bound) for _ in range(load.count))

    with kept_loop() as loop:
        yield Lag(loop, job)
