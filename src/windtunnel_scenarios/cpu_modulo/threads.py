"""All jobs at once in a pool of threads: only without a GIL do they run in parallel."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_modulo import WORKERS, Remainders
from windtunnel_scenarios.cpu_modulo.pooled import pooled
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """The threads."""
    with pooled(load, WORKERS) as run:
        yield run
