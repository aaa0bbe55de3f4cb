"""All at once over aiofiles with 2 threads in the loop's pool."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.through_aiofiles import all_at_once
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files, a loop and the pool."""
    with all_at_once(load, workers=2) as run:
        yield run
