"""A web service that computes the position of a planet, and an application that does nothing, behind servers."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Scenario, Variant
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.load_generator import Requests, load_generator
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.selector_load import selector_load
from windtunnel_scenarios.support.servers import ServedRun, running_server

CONNECTIONS = 20

APP_SERVER = "windtunnel_scenarios.programs.app_server"

MARS = '{"ra": 4.392284, "dec": -0.392699}'
"""What the service returns: the position of Mars at the start of 2022, in radians."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanetRequests:
    """How many requests, over 20 connections."""

    count: int
    keep_alive: bool = True
    """Whether a connection outlives its request, where the server supports that."""

    @property
    def outcome(self) -> Outcome:
        """The body of each answer."""
        return (MARS,) * self.count


@contextmanager
def service(load: PlanetRequests, framework: str, workers: int) -> Iterator[ServedRun]:
    """Run the service with so many workers of gunicorn (0: the framework's own server), and a load generator.

    They have processors of their own.
    """
    server_program = running_server("windtunnel_scenarios.programs.planet_server", framework, str(workers))
    requests = Requests(path="/Mars", count=load.count, connections=CONNECTIONS, keep_alive=load.keep_alive)
    with (
        separate_processors(server_program) as server,
        event_loop() as loop,
        load_generator(loop, server.port, requests) as run,
    ):
        yield ServedRun(run, server)


def variant(framework: str, server: str, workers: int, *requires: str) -> Variant[PlanetRequests]:
    """A variant with a framework and a server."""
    return Variant(
        name=f"{framework}_{server}",
        technique=partial(service, framework=framework, workers=workers),
        requires=(framework, *requires, "ephem"),
    )


VARIANTS = (
    variant("aiohttp", "dev", 0),
    variant("flask", "dev", 0),
    variant("aiohttp", "gunicorn_1", 1, "gunicorn"),
    variant("flask", "gunicorn_1", 1, "gunicorn"),
    variant("aiohttp", "gunicorn_4", 4, "gunicorn"),
    variant("flask", "gunicorn_4", 4, "gunicorn"),
)
"""``dev`` is the framework's own server. Flask's servers keep no connection."""

WEB_KEEP_ALIVE = Scenario(
    name="web_keep_alive",
    skip_warmup=(LoadName.ARTICLE,),
    loads=Loads(
        trial=PlanetRequests(count=40),
        quick=PlanetRequests(count=500),
        standard=PlanetRequests(count=2_000),
        article=PlanetRequests(count=10_000),
    ),
    variants=VARIANTS,
)

WEB_NEW_CONNECTIONS = Scenario(
    name="web_new_connections",
    skip_warmup=(LoadName.ARTICLE,),
    loads=Loads(
        trial=PlanetRequests(count=40, keep_alive=False),
        quick=PlanetRequests(count=200, keep_alive=False),
        standard=PlanetRequests(count=2_000, keep_alive=False),
        article=PlanetRequests(count=10_000, keep_alive=False),
    ),
    variants=VARIANTS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppRequests:
    """How many requests, over 20 connections, for an application that does next to nothing."""

    count: int
    keep_alive: bool = True
    """Whether a connection outlives its request."""

    @property
    def outcome(self) -> Outcome:
        """The body of each answer."""
        return ("0",) * self.count


@contextmanager
def app_server(load: AppRequests, *arguments: str) -> Iterator[ServedRun]:
    """Run a server with one worker, and a load generator. They have processors of their own."""
    requests = Requests(path="/0", count=load.count, connections=CONNECTIONS, keep_alive=load.keep_alive)
    with (
        separate_processors(running_server(APP_SERVER, *arguments)) as server,
        selector_load(server.port, requests) as run,
    ):
        yield ServedRun(run, server)


def app_variant(name: str, server: str, *settings: str, requires: tuple[str, ...] = ()) -> Variant[AppRequests]:
    """A variant with a server, its event loop or its kind of worker, and its parser."""

    def technique(load: AppRequests, /) -> AbstractContextManager[ServedRun]:
        return app_server(load, server, *settings)

    return Variant(name=name, technique=technique, requires=(server, *requires))


KEEPING_SERVERS = (
    app_variant("gunicorn_gthread", "gunicorn", "gthread"),
    app_variant("uvicorn", "uvicorn", "asyncio"),
    app_variant("uvicorn_uvloop", "uvicorn", "uvloop", requires=("uvloop",)),
    app_variant("uvicorn_rloop", "uvicorn", "rloop", requires=("rloop",)),
    app_variant("uvicorn_standard", "uvicorn", "uvloop", "httptools", requires=("uvloop", "httptools")),
    app_variant("hypercorn", "hypercorn", "asyncio"),
    app_variant("hypercorn_uvloop", "hypercorn", "uvloop", requires=("uvloop",)),
    app_variant("granian", "granian", "asyncio"),
    app_variant("granian_uvloop", "granian", "uvloop", requires=("uvloop",)),
)
"""The servers that can keep a connection. Those without a loop in their name use asyncio's; `uvicorn[standard]`
installs uvloop and the parser httptools."""

SERVERS_KEEP_ALIVE = Scenario(
    name="servers_keep_alive",
    loads=Loads(trial=AppRequests(count=40), quick=AppRequests(count=400), standard=AppRequests(count=2_000)),
    variants=KEEPING_SERVERS,
)

SERVERS_NEW_CONNECTIONS = Scenario(
    name="servers_new_connections",
    loads=Loads(
        trial=AppRequests(count=40, keep_alive=False),
        quick=AppRequests(count=400, keep_alive=False),
        standard=AppRequests(count=2_000, keep_alive=False),
    ),
    variants=(app_variant("gunicorn_sync", "gunicorn", "sync"), *KEEPING_SERVERS),
)

SCENARIOS = (WEB_KEEP_ALIVE, WEB_NEW_CONNECTIONS, SERVERS_KEEP_ALIVE, SERVERS_NEW_CONNECTIONS)
