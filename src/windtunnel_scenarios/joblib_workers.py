"""joblib's pool of processes (loky): users hand it a list of calls, and it keeps its workers for the next list."""

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import Parallel
from joblib.externals.loky import get_reusable_executor


@contextmanager
def loky_workers(workers: int) -> Iterator[Parallel]:
    """A pool of at least two workers, for one is none to joblib; they start with the first calls and end here."""
    try:
        with Parallel(n_jobs=workers, backend="loky") as parallel:
            yield parallel
    finally:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)
