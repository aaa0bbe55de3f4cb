"""A thread: nothing is copied."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Run
from windtunnel.scenarios.payload import Parcels
from windtunnel.scenarios.payload.returned import calls
from windtunnel.scenarios.threads import warm_threads


@contextmanager
def prepare(load: Parcels) -> Iterator[Run]:
    """The worker."""
    with warm_threads(1) as pool:
        yield calls(pool, load)
