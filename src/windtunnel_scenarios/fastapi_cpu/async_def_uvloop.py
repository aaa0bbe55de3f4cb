"""``async def`` on uvloop's event loop."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.fastapi_cpu import Endpoint
from windtunnel_scenarios.fastapi_cpu.endpoint import endpoint
from windtunnel_scenarios.model import Recording


@contextmanager
def prepare(load: Endpoint) -> Iterator[Recording]:
    """The server and the connections."""
    with endpoint(load, "async_def", server_loop="uvloop") as run:
        yield run
