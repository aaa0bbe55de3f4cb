"""Importing a library in a new process: what a command-line tool, a test or a serverless function pays at its start.

The compiled files are there: the warm-up of a case writes them. The new process has imported ``json``, ``subprocess``
and ``threading``, which every run needs, and neither asyncio nor ``http``.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.subprocess_run import Measured, measure_peak, measured_subprocess


@dataclass(frozen=True, slots=True, kw_only=True)
class Imports:
    """How many libraries."""

    count: int = 1

    @property
    def outcome(self) -> Outcome:
        """How many were imported."""
        return (self.count,)


@contextmanager
def first_import(name: str) -> Iterator[Measured]:
    """In the new process: the import of a module is measured."""
    yield partial(measure_peak, lambda: [int(bool(import_module(name)))])


def technique(_: Imports, module: str) -> AbstractContextManager[Run]:
    """Import a module in a new process for each run."""
    return measured_subprocess(first_import, module)


def variant(name: str, module: str, *requires: str) -> Variant[Imports]:
    """A variant that imports a module."""
    return Variant(name=name, technique=partial(technique, module=module), requires=requires)


IMPORTS = Scenario(
    name="imports",
    loads=Loads(trial=Imports(), quick=Imports(), standard=Imports()),
    variants=(
        variant("urllib", "urllib.request"),
        variant("asyncio", "asyncio"),
        *(variant(name, name, name) for name in ("requests", "aiohttp", "httpx", "httpx2", "flask", "fastapi", "trio")),
        variant("starlette", "starlette.applications", "fastapi"),
        variant("websockets", "websockets.asyncio.client", "websockets"),
        variant("redis", "redis", "redis"),
        variant("redis_asyncio", "redis.asyncio", "redis"),
        variant("psycopg", "psycopg", "psycopg", "psycopg_binary"),
        variant("asyncpg", "asyncpg", "asyncpg"),
    ),
)

SCENARIOS = (IMPORTS,)
