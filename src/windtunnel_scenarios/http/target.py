"""Where a case's requests go."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.support.servers import serving


@contextmanager
def target(load: Requests) -> Iterator[str]:
    """The URL to get, on a server that lives in a process of its own; an address, so that no name is looked up."""
    with serving("windtunnel_scenarios.programs.http_server", str(load.at_once)) as port:
        yield f"http://127.0.0.1:{port}/{load.delay}"
