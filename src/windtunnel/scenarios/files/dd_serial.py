"""One ``dd`` after the other."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Run
from windtunnel.scenarios.files import Writes
from windtunnel.scenarios.files.raw import one_by_one


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files."""
    with one_by_one(load) as run:
        yield run
