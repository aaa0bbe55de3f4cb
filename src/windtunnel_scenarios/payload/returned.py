"""The calls: a worker returns what it is given."""

from concurrent.futures import Executor

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.payload import Parcels


def returned(parcel: bytes) -> bytes:
    """In the worker."""
    return parcel


def calls(pool: Executor, load: Parcels) -> Run:
    """A run that makes one call after the other."""
    parcel = bytes(load.size)

    def run() -> Outcome:
        return tuple(len(pool.submit(returned, parcel).result()) for _ in range(load.count))

    return run
