"""All jobs in sixteen threads, each of which gives the global lock up after a tenth of a millisecond."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_modulo import Remainders
from windtunnel_scenarios.cpu_modulo.switching_every import switching_every
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """The threads and the interval."""
    with switching_every(load, 0.0001) as run:
        yield run
