"""The server, and the load on one of its endpoints."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Recording
from windtunnel.scenarios.fastapi_cpu import Endpoint
from windtunnel.scenarios.load_generator import Calls, generator
from windtunnel.scenarios.loop import kept_loop
from windtunnel.scenarios.server import serving


@contextmanager
def endpoint(load: Endpoint, name: str, server_loop: str = "asyncio") -> Iterator[Recording]:
    """The server with its loop, and a generator of the load's requests on another."""
    calls = Calls(path=f"/{name}/{load.bound}", count=load.count, connections=load.connections, keep=load.keep)
    with (
        serving("windtunnel.scenarios.fastapi_cpu.app_server", server_loop) as port,
        kept_loop() as loop,
        generator(loop, port, calls) as run,
    ):
        yield run
