"""An endpoint that computes, and how long a light endpoint of the same server waits meanwhile."""

from asyncio import AbstractEventLoop, create_task, gather, sleep
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, repeat
from random import Random
from time import perf_counter

from windtunnel_scenarios.fastapi_endpoint import single_connection
from windtunnel_scenarios.model import Outcome, RecordingRun, Scenario, Series, Variant
from windtunnel_scenarios.support.load_generator import Connection
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.servers import ServedRun, running_server

MIN_PROBE_PAUSE = 0.02
"""Seconds between two probes on average, at least."""

MAX_REQUESTS = 100_000
"""Computing requests of a run, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Computing:
    """How long a request computes, over how many connections, and how often the light endpoint is asked meanwhile."""

    milliseconds: int
    connections: int
    probes: int = 40
    utilization: float = 0.0
    """Which share of one processor the requests take, because they are due at random times of a fixed rate; 0: each
    connection asks again as soon as it has its answer."""

    @property
    def outcome(self) -> Outcome:
        """The answers of the light endpoint. Other answers raise an error."""
        return ("light",) * self.probes


class ProbedLoad:
    """A run that keeps a server computing until all probes of its light endpoint are answered.

    It records the ``latency`` of each probe, from the time at which it was due, and the ``seconds`` for each computing
    request while there were probes. Probes are due at random times, the same in each run, so that they do not keep step
    with the computing.
    """

    def __init__(
        self,
        loop: AbstractEventLoop,
        load: Computing,
        computing: tuple[Connection, ...],
        probes: tuple[Connection, ...],
    ) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._loop, self._load, self._computing, self._probes = loop, load, computing, probes
        self._answers, self._stopped = 0, False

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self._run())

    async def _run(self) -> Outcome:
        self._answers, self._stopped = 0, False
        due = self._due_times()
        tasks = [create_task(self._keep_computing(connection, due)) for connection in self._computing]
        pause = max(MIN_PROBE_PAUSE, self._load.milliseconds / 1_000)
        await sleep(pause)
        begin, before = perf_counter(), self._answers
        answers = await gather(*map(probe, self._probes, random_times(begin, pause, seed=1)))
        seconds, count = perf_counter() - begin, self._answers - before
        self._stopped = True
        await gather(*tasks)
        self.recorded = {
            "latency": tuple(latency for latency, _ in answers),
            "seconds": (seconds / max(count, 1),),
        }
        return tuple(body.decode("utf-8") for _, body in answers)

    async def _keep_computing(self, connection: Connection, due_times: Iterator[float]) -> None:
        """Ask again and again on one connection, until the probes are answered."""
        for due in due_times:
            if (wait := due - perf_counter()) > 0:
                await sleep(wait)
            if self._stopped:
                break
            body = await connection.get()
            if body != b"%d" % self._load.milliseconds:
                raise ConnectionError(f"the server computed {body!r}")
            self._answers += 1

    def _due_times(self) -> Iterator[float]:
        """The times at which requests are due, for all connections together."""
        if not self._load.utilization:
            return repeat(0.0, MAX_REQUESTS)
        pause = self._load.milliseconds / 1_000 / self._load.utilization
        return iter(random_times(perf_counter(), pause, seed=2))


def random_times(begin: float, pause: float, seed: int) -> Iterable[float]:
    """Return times of a Poisson process, with so many seconds between two of them on average."""
    random = Random(seed)
    return accumulate((random.expovariate(1 / pause) for _ in range(MAX_REQUESTS)), initial=begin)


async def probe(connection: Connection, due: float) -> tuple[float, bytes]:
    """Ask at a time; return how long after it the answer came, and the answer."""
    if (wait := due - perf_counter()) > 0:
        await sleep(wait)
    body = await connection.get()
    return perf_counter() - due, body


@contextmanager
def endpoint(load: Computing, server: tuple[str, ...]) -> Iterator[RecordingRun]:
    """Run the server, which has answered on each connection. All of them share the processors."""
    program = running_server("windtunnel_scenarios.programs.computing_server", *server)
    with program as running, event_loop() as loop, ExitStack() as stack:

        def connect(path: str, count: int) -> tuple[Connection, ...]:
            opened = tuple(stack.enter_context(single_connection(loop, running.port, path)) for _ in range(count))
            for connection in opened:
                loop.run_until_complete(connection.get("/light"))
            return opened

        computing = connect(f"/compute/{load.milliseconds}", load.connections)
        loop.run_until_complete(computing[0].get())
        yield ServedRun(ProbedLoad(loop, load, computing, connect("/light", load.probes)), running)


def variant(name: str, requires: tuple[str, ...], *server: str) -> Variant[Computing]:
    """A variant with a server of these arguments."""
    return Variant(name=name, technique=partial(endpoint, server=server), requires=requires)


ENDPOINTS = ("async_def", "plain_def", "mixed", "process_pool")
"""Both on the loop; both in threads; computing in threads and the light one on the loop; computing in a pool of
processes and the light one on the loop."""

COMPUTING_ENDPOINT = Scenario(
    name="computing_endpoint",
    loads=Series(
        trial=Computing(milliseconds=1, connections=2, probes=3),
        points={
            **{
                f"{milliseconds}ms_{connections}": Computing(milliseconds=milliseconds, connections=connections)
                for connections in (4, 50)
                for milliseconds in (1, 5, 20, 200)
            },
            **{
                f"{milliseconds}ms_half_busy": Computing(milliseconds=milliseconds, connections=50, utilization=0.5)
                for milliseconds in (1, 5, 20, 200)
            },
        },
    ),
    skip_warmup=tuple(f"200ms_{load}" for load in ("4", "50", "half_busy")),
    variants=(
        *(variant(each, ("fastapi", "uvicorn"), "fastapi", each, "asyncio", "h11") for each in ENDPOINTS),
        *(
            variant(
                f"{each}_uvloop",
                ("fastapi", "uvicorn", "uvloop", "httptools"),
                *("fastapi", each, "uvloop", "httptools"),
            )
            for each in ENDPOINTS
        ),
        variant("flask_threads", ("flask", "gunicorn"), "flask", "threads"),
        variant("flask_process_pool", ("flask", "gunicorn"), "flask", "process_pool"),
        variant("aiohttp_on_loop", ("aiohttp",), "aiohttp", "async_def"),
        variant("aiohttp_threads", ("aiohttp",), "aiohttp", "threads"),
        variant("aiohttp_process_pool", ("aiohttp",), "aiohttp", "process_pool"),
    ),
)

SCENARIOS = (COMPUTING_ENDPOINT,)
