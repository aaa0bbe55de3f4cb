"""The server, and the load on one of its endpoints."""

from asyncio import AbstractEventLoop
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.fastapi_cpu import Endpoint
from windtunnel_scenarios.fastapi_cpu.probe import Probed
from windtunnel_scenarios.model import Recording
from windtunnel_scenarios.support.cpu_affinity import started_apart
from windtunnel_scenarios.support.load_generator import Calls, Connection, generator
from windtunnel_scenarios.support.loops import kept_loop
from windtunnel_scenarios.support.servers import serving


@contextmanager
def endpoint(load: Endpoint, name: str, server_loop: str = "asyncio") -> Iterator[Recording]:
    """The server with its loop, which has answered a request, and a generator of the load's requests on another.

    They keep to processors of their own where there are two.
    """
    calls = Calls(
        path=f"/{name}/{load.bound}",
        count=load.count,
        connections=load.connections,
        keep=load.keep,
        rate=load.rate,
        fresh=load.fresh,
    )
    with (
        started_apart(serving("windtunnel_scenarios.programs.fastapi_server", server_loop)) as port,
        kept_loop() as loop,
        generator(loop, port, calls) as run,
        probe(loop, port, f"/{name}/0") as idle,
    ):
        loop.run_until_complete(idle.get())
        loop.run_until_complete(run.connected())
        yield Probed(loop, run, idle) if load.probed else run


@contextmanager
def probe(loop: AbstractEventLoop, port: int, path: str) -> Iterator[Connection]:
    """A connection that is opened when it is first used."""
    connection = Connection(port, Calls(path=path, count=1, connections=1))
    try:
        yield connection
    finally:
        loop.run_until_complete(connection.close())
