"""All at once over aiofiles, no more than 12 of them between opening and closing."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.through_aiofiles import all_at_once
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files, a loop, the pool and a semaphore."""
    with all_at_once(load, at_once=12) as run:
        yield run
