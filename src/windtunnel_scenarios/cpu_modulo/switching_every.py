"""Another switch interval: how long a thread keeps the global lock that others wait for; 5 ms unless told."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_modulo import WORKERS, Remainders
from windtunnel_scenarios.cpu_modulo.pooled import pooled
from windtunnel_scenarios.model import Run


@contextmanager
def switching_every(load: Remainders, seconds: float) -> Iterator[Run]:
    """As many threads as elsewhere, and the interval; it is put back at the end."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        with pooled(load, WORKERS) as run:
            yield run
    finally:
        sys.setswitchinterval(before)
