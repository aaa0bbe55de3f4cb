"""Thread pools whose threads all run before the clock starts."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

PATIENCE = 60.0
"""Seconds after which threads that did not start are an error, not a hang."""


@contextmanager
def warm_threads(workers: int) -> Iterator[ThreadPoolExecutor]:
    """A pool with all its threads started; a pool left alone starts them one by one, inside the timed region."""
    with ThreadPoolExecutor(max_workers=workers) as pool:
        meeting = Barrier(workers + 1, timeout=PATIENCE)
        for _ in range(workers):
            pool.submit(meeting.wait)
        meeting.wait()
        yield pool
