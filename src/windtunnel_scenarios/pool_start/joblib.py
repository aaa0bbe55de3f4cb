"""joblib's processes, which are new interpreters."""

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import delayed

from windtunnel_scenarios.joblib_workers import loky_workers
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.pool_start import Workers


@contextmanager
def prepare(load: Workers) -> Iterator[Run]:
    """Nothing to open: that is the job."""

    def run() -> Outcome:
        with loky_workers(load.count) as parallel:
            return (sum(parallel(delayed(int)(1) for _ in range(load.count))),)

    yield run
