"""Sums in another interpreter."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.contract import Recording
from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.interpreters import warm_interpreters
from windtunnel_scenarios.loop import kept_loop
from windtunnel_scenarios.loop_lag_cpu.executed import executed


@contextmanager
def prepare(load: Sums) -> Iterator[Recording]:
    """A loop and the worker."""
    with kept_loop() as loop, warm_interpreters(1) as pool:
        yield executed(loop, pool, load)
