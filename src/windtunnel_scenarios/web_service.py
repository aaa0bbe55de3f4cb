"""A small web service that computes the position of a planet, behind different servers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Scenario, Variant
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.load_generator import Requests, load_generator
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.servers import ServedRun, running_server

CONNECTIONS = 20

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

SCENARIOS = (WEB_KEEP_ALIVE, WEB_NEW_CONNECTIONS)
