"""Sums in another interpreter."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.loop_lag_cpu.executed import executed
from windtunnel_scenarios.model import Recording
from windtunnel_scenarios.support.interpreters import warm_interpreters
from windtunnel_scenarios.support.loops import kept_loop


@contextmanager
def prepare(load: Sums) -> Iterator[Recording]:
    """A loop and the worker."""
    with kept_loop() as loop, warm_interpreters(1) as pool:
        yield executed(loop, pool, load)
