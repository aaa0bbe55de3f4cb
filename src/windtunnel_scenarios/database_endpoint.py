"""An endpoint that asks PostgreSQL, from the request to the answer: ASGI and WSGI, with pools of several sizes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from windtunnel_scenarios.model import Outcome, RecordingRun, Scenario, Series, Variant
from windtunnel_scenarios.postgres import COMMANDS, conninfo
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.database_servers import database_server, postgres_commands
from windtunnel_scenarios.support.load_generator import Requests, load_generator
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.servers import ServedRun, running_server

SHORT = "SELECT 1"
LONG = "SELECT 1 FROM pg_sleep(0.01)"
CONNECTIONS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Asks:
    """How many requests over how many connections, and the query of each."""

    count: int
    query: str
    rate: float = 0.0
    """How many requests are due in a second; 0: each connection asks again as soon as it has its answer."""
    connections: int = CONNECTIONS

    @property
    def outcome(self) -> Outcome:
        """The answers: each query returns 1."""
        return ("1",) * self.count


@contextmanager
def endpoint(load: Asks, kind: str, size: int) -> Iterator[RecordingRun]:
    """Run PostgreSQL and the application, which has answered on each connection.

    The application and the load generator have processors of their own; PostgreSQL may use all.
    """
    with database_server(postgres_commands) as database:
        program = running_server(
            "windtunnel_scenarios.programs.database_app", kind, str(size), conninfo(database), load.query
        )
        requests = Requests(path="/", count=load.count, connections=load.connections, rate=load.rate)
        with (
            separate_processors(program) as server,
            event_loop() as loop,
            load_generator(loop, server.port, requests) as run,
        ):
            loop.run_until_complete(run.connect("/"))
            yield ServedRun(run, server)


APPLICATIONS = {
    "fastapi_asyncpg": ("fastapi", "uvicorn", "asyncpg"),
    "fastapi_psycopg": ("fastapi", "uvicorn", "psycopg", "psycopg_binary", "psycopg_pool"),
    "fastapi_def_psycopg": ("fastapi", "uvicorn", "psycopg", "psycopg_binary", "psycopg_pool"),
    "flask_psycopg": ("flask", "gunicorn", "psycopg", "psycopg_binary", "psycopg_pool"),
}
"""What each application requires."""

SIZES = (4, 10, 40)

DATABASE_ENDPOINT = Scenario(
    name="database_endpoint",
    loads=Series(
        trial=Asks(count=4, query=SHORT, connections=2),
        points={
            "short": Asks(count=2_000, query=SHORT),
            "10ms": Asks(count=500, query=LONG),
            "short_100_per_second": Asks(count=200, query=SHORT, rate=100),
            "10ms_100_per_second": Asks(count=200, query=LONG, rate=100),
        },
    ),
    variants=tuple(
        Variant(
            name=f"{kind}_pool_{size}",
            technique=partial(endpoint, kind=kind, size=size),
            requires=requires,
            commands=COMMANDS,
        )
        for kind, requires in APPLICATIONS.items()
        for size in SIZES
    ),
)

SCENARIOS = (DATABASE_ENDPOINT,)
