"""A FastAPI endpoint that computes, defined with ``async def`` and with ``def``."""

from asyncio import AbstractEventLoop, create_task, sleep
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

from windtunnel_scenarios.model import LoadName, Loads, Outcome, RecordingRun, Scenario, Variant
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.load_generator import Connection, LoadGenerator, Requests, load_generator
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.servers import ServedRun, running_server

PROBE_PAUSE = 0.005
"""Seconds between an answer to the probe and its next request, and before its first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointRequests:
    """How many requests over how many connections, each for the sum of the numbers below ``bound``."""

    bound: int
    count: int
    connections: int
    keep_alive: bool = True
    """Whether a connection outlives its request."""
    reconnect: bool = False
    """Whether each run begins with new connections."""
    all_processors: bool = False
    """Whether server and load generator share all processors, so that threads of the server can compute at once."""
    probe: bool = False
    """Whether the recorded latency is that of an idle endpoint beside these requests."""

    @property
    def outcome(self) -> Outcome:
        """The body of each answer."""
        return (str(self.bound * (self.bound - 1) // 2),) * self.count


class ProbedRun:
    """A run that makes all requests of a load generator, and records the ``latency`` of a probe in the meantime."""

    def __init__(self, loop: AbstractEventLoop, requests: LoadGenerator, probe: Connection) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._loop, self._requests, self._probe = loop, requests, probe

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self._run())

    async def _run(self) -> Outcome:
        requests, latencies = create_task(self._requests.make_requests()), list[float]()
        await sleep(PROBE_PAUSE)
        while not requests.done():
            start = perf_counter()
            await self._probe.get()
            latencies.append(perf_counter() - start)
            await sleep(PROBE_PAUSE)
        self.recorded = {"latency": tuple(latencies)}
        return await requests


@contextmanager
def endpoint(load: EndpointRequests, path: str, server_loop: str) -> Iterator[RecordingRun]:
    """Run the server, which has answered a request for nothing and one for the sum, and a load generator.

    They have processors of their own unless the load says otherwise.
    """
    server_program = running_server("windtunnel_scenarios.programs.fastapi_server", server_loop)
    computing = f"/{path}/{load.bound}"
    with (
        server_program if load.all_processors else separate_processors(server_program) as server,
        event_loop() as loop,
        single_connection(loop, server.port, f"/{path}/0") as probe,
    ):
        if loop.run_until_complete(probe.get("/gil")) != b"as built" and load.all_processors:
            raise RuntimeError("the GIL of the server's free-threaded Python is on: a library turned it on")
        loop.run_until_complete(probe.get())
        requests = Requests(
            path=computing,
            count=load.count,
            connections=load.connections,
            keep_alive=load.keep_alive,
            reconnect=load.reconnect,
        )
        with load_generator(loop, server.port, requests) as run:
            loop.run_until_complete(run.connect(f"/{path}/0"))
            yield ServedRun(ProbedRun(loop, run, probe) if load.probe else run, server)


@contextmanager
def single_connection(loop: AbstractEventLoop, port: int, path: str) -> Iterator[Connection]:
    """Create a connection, and close it at the end."""
    connection = Connection(port, path)
    try:
        yield connection
    finally:
        loop.run_until_complete(connection.close())


ON_ASYNCIO = tuple(
    Variant(name=path, technique=partial(endpoint, path=path, server_loop="asyncio"), requires=("fastapi", "uvicorn"))
    for path in ("async_def", "plain_def")
)
ON_UVLOOP = tuple(
    Variant(
        name=f"{path}_uvloop",
        technique=partial(endpoint, path=path, server_loop="uvloop"),
        requires=("fastapi", "uvicorn", "uvloop"),
    )
    for path in ("async_def", "plain_def")
)

KEEP_ALIVE_LOADS = Loads(
    trial=EndpointRequests(bound=1_000, count=20, connections=10),
    quick=EndpointRequests(bound=200_000, count=100, connections=10),
    standard=EndpointRequests(bound=400_000, count=100, connections=10),
    article=EndpointRequests(bound=10_000_000, count=100, connections=10),
)

FASTAPI_KEEP_ALIVE = Scenario(
    name="fastapi_keep_alive",
    skip_warmup=(LoadName.ARTICLE,),
    loads=KEEP_ALIVE_LOADS,
    variants=ON_ASYNCIO + ON_UVLOOP,
)

FASTAPI_NEW_CONNECTIONS = Scenario(
    name="fastapi_new_connections",
    skip_warmup=(LoadName.STANDARD, LoadName.ARTICLE),
    loads=Loads(**{name: replace(load, reconnect=True) for name, load in KEEP_ALIVE_LOADS}),
    variants=ON_ASYNCIO + ON_UVLOOP,
)

FASTAPI_SEQUENTIAL = Scenario(
    name="fastapi_sequential",
    skip_warmup=(LoadName.STANDARD, LoadName.ARTICLE),
    loads=Loads(
        trial=EndpointRequests(bound=1_000, count=3, connections=1, keep_alive=False),
        quick=EndpointRequests(bound=500_000, count=20, connections=1, keep_alive=False),
        standard=EndpointRequests(bound=400_000, count=100, connections=1, keep_alive=False),
        article=EndpointRequests(bound=10_000_000, count=100, connections=1, keep_alive=False),
    ),
    variants=ON_ASYNCIO,
)

FASTAPI_IDLE = Scenario(
    name="fastapi_idle",
    loads=Loads(
        trial=EndpointRequests(bound=0, count=3, connections=1),
        quick=EndpointRequests(bound=0, count=200, connections=1),
        standard=EndpointRequests(bound=0, count=1000, connections=1),
        article=EndpointRequests(bound=0, count=1000, connections=1),
    ),
    variants=ON_ASYNCIO,
)

FASTAPI_IDLE_UNDER_LOAD = Scenario(
    name="fastapi_idle_under_load",
    skip_warmup=(LoadName.STANDARD, LoadName.ARTICLE),
    loads=Loads(
        trial=EndpointRequests(bound=1_000, count=20, connections=10, probe=True),
        quick=EndpointRequests(bound=1_000_000, count=8, connections=4, probe=True),
        standard=EndpointRequests(bound=6_000_000, count=8, connections=4, probe=True),
        article=EndpointRequests(bound=10_000_000, count=100, connections=10, probe=True),
    ),
    variants=ON_ASYNCIO + ON_UVLOOP,
)

FASTAPI_PARALLEL = Scenario(
    name="fastapi_parallel",
    loads=Loads(
        trial=EndpointRequests(bound=1_000, count=20, connections=10, all_processors=True),
        quick=EndpointRequests(bound=100_000, count=40, connections=4, all_processors=True),
        standard=EndpointRequests(bound=400_000, count=100, connections=4, all_processors=True),
    ),
    variants=ON_ASYNCIO,
)

SCENARIOS = (
    FASTAPI_KEEP_ALIVE,
    FASTAPI_NEW_CONNECTIONS,
    FASTAPI_SEQUENTIAL,
    FASTAPI_IDLE,
    FASTAPI_IDLE_UNDER_LOAD,
    FASTAPI_PARALLEL,
)
