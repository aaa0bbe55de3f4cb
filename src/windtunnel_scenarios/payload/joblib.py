"""A process of joblib's: what it is given is pickled, and what it returns; each call is a list of one."""

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import delayed

from windtunnel_scenarios.joblib_workers import loky_workers
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.payload import Parcels
from windtunnel_scenarios.payload.returned import returned


@contextmanager
def prepare(load: Parcels) -> Iterator[Run]:
    """Two workers, the fewest that joblib has processes for."""
    parcel = bytes(load.size)
    with loky_workers(2) as parallel:

        def run() -> Outcome:
            return tuple(len(parallel([delayed(returned)(parcel)])[0]) for _ in range(load.count))

        yield run
