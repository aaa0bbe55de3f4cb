"""A server of the service, and visitors."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Recording
from windtunnel.scenarios.load_generator import Calls, generator
from windtunnel.scenarios.loop import kept_loop
from windtunnel.scenarios.server import serving
from windtunnel.scenarios.web import CONNECTIONS, Visits


@contextmanager
def visited(load: Visits, server: str, *arguments: str) -> Iterator[Recording]:
    """The server in a process of its own, and a generator of the load's requests."""
    calls = Calls(path="/Mars", count=load.count, connections=CONNECTIONS, keep=load.keep)
    with (
        serving(f"windtunnel.scenarios.web.{server}", *arguments) as port,
        kept_loop() as loop,
        generator(loop, port, calls) as run,
    ):
        yield run
