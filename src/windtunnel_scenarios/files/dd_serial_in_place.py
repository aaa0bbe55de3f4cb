"""One ``dd`` after the other, over what is there."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.raw import IN_PLACE, one_by_one
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files."""
    with one_by_one(load, IN_PLACE) as run:
        yield run
