"""All jobs in sixteen threads that are kept on one processor, so that nothing is handed from core to core."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_modulo import WORKERS, Remainders
from windtunnel_scenarios.cpu_modulo.pooled import pooled
from windtunnel_scenarios.model import Run, UnavailableError


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """The threads, which keep to the processor that this one is allowed while it starts them."""
    if not hasattr(os, "sched_setaffinity"):
        raise UnavailableError("this system keeps no thread on a processor")
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        with pooled(load, WORKERS) as run:
            yield run
    finally:
        os.sched_setaffinity(0, allowed)
