"""All ``dd`` at once, over what is there."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.raw import IN_PLACE, all_at_once
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files."""
    with all_at_once(load, IN_PLACE) as run:
        yield run
