"""All requests at once in one aiohttp session that opens no more than 20 connections."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.shared_session import all_at_once
from windtunnel_scenarios.model import Run


@contextmanager
def prepare(load: Requests) -> Iterator[Run]:
    """The server, a loop and the session."""
    with all_at_once(load, limit=20) as run:
        yield run
