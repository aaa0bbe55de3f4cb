"""A thread: nothing is copied."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Run
from windtunnel_scenarios.payload import Parcels
from windtunnel_scenarios.payload.returned import calls
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Parcels) -> Iterator[Run]:
    """The worker."""
    with warm_threads(1) as pool:
        yield calls(pool, load)
