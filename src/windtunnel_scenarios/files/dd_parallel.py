"""All ``dd`` at once."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.raw import all_at_once
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files."""
    with all_at_once(load) as run:
        yield run
