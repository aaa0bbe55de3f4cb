"""``create_subprocess_exec`` on uvloop's event loop."""

from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from windtunnel_scenarios.model import Run
from windtunnel_scenarios.subprocesses import Programs
from windtunnel_scenarios.subprocesses.executed import all_at_once


@contextmanager
def prepare(load: Programs) -> Iterator[Run]:
    """A loop."""
    with all_at_once(load, uvloop.new_event_loop) as run:
        yield run
