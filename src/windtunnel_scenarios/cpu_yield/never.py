"""The same loops with a single yield at the end."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_yield.yielding import sums_that_yield
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """A loop."""
    with sums_that_yield(load, every=load.bound) as run:
        yield run
