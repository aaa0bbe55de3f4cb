"""A process that is a copy of this one: what it is given is pickled, and what it returns."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Run
from windtunnel_scenarios.payload import Parcels
from windtunnel_scenarios.payload.returned import calls
from windtunnel_scenarios.support.pools import Start, warm_processes


@contextmanager
def prepare(load: Parcels) -> Iterator[Run]:
    """The worker."""
    with warm_processes(1, Start.FORK) as pool:
        yield calls(pool, load)
