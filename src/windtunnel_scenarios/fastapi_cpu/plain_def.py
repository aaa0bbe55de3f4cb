"""``def``: the sum is computed in a thread."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.fastapi_cpu import Endpoint
from windtunnel_scenarios.fastapi_cpu.endpoint import endpoint
from windtunnel_scenarios.model import Recording


@contextmanager
def prepare(load: Endpoint) -> Iterator[Recording]:
    """The server and the connections."""
    with endpoint(load, "plain_def") as run:
        yield run
