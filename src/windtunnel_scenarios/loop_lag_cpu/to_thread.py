"""Sums in a thread."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.loop_lag_cpu.executed import executed
from windtunnel_scenarios.model import Recording
from windtunnel_scenarios.support.loops import kept_loop
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Sums) -> Iterator[Recording]:
    """A loop and the worker."""
    with kept_loop() as loop, warm_threads(1) as pool:
        yield executed(loop, pool, load)
