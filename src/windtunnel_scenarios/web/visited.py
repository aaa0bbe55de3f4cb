"""A server of the service, and visitors."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Recording
from windtunnel_scenarios.processor import group_seconds
from windtunnel_scenarios.support.load_generator import Calls, generator
from windtunnel_scenarios.support.loops import kept_loop
from windtunnel_scenarios.support.servers import server_group
from windtunnel_scenarios.web import CONNECTIONS, Visits


class Visited:
    """A generator's run; tells how long the server's processes have computed."""

    def __init__(self, run: Recording, group: int) -> None:
        self._run, self._group = run, group

    def __call__(self) -> Outcome:
        return self._run()

    @property
    def recorded(self) -> tuple[float, ...]:
        """The latencies of the last run."""
        return self._run.recorded

    def server_seconds(self) -> float:
        """Since the server started, its workers included."""
        return group_seconds(self._group)


@contextmanager
def visited(load: Visits, server: str, *arguments: str) -> Iterator[Visited]:
    """The server in a process of its own, and a generator of the load's requests."""
    calls = Calls(path="/Mars", count=load.count, connections=CONNECTIONS, keep=load.keep)
    with (
        server_group(server, *arguments) as (port, group),
        kept_loop() as loop,
        generator(loop, port, calls) as run,
    ):
        yield Visited(run, group)
