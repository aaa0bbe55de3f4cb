"""All jobs in four threads."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_modulo import Remainders
from windtunnel_scenarios.cpu_modulo.pooled import pooled
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """The threads."""
    with pooled(load, 4) as run:
        yield run
