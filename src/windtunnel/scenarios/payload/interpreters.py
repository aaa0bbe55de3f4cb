"""An interpreter within this process."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Run
from windtunnel.scenarios.interpreters import warm_interpreters
from windtunnel.scenarios.payload import Parcels
from windtunnel.scenarios.payload.returned import calls


@contextmanager
def prepare(load: Parcels) -> Iterator[Run]:
    """The worker."""
    with warm_interpreters(1) as pool:
        yield calls(pool, load)
