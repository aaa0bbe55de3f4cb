"""The requests one after the other, then the sums."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import ProxyHandler, build_opener

from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.http.target import target
from windtunnel_scenarios.http.urllib import get
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Mixed[Requests]) -> Iterator[Run]:
    """The server."""
    with target(load.waits) as url:
        opener = build_opener(ProxyHandler({}))

        def run() -> Outcome:
            waited = tuple(get(opener, url) for _ in range(load.waits.count))
            return waited + tuple(total(load.sums.bound) for _ in range(load.sums.count))

        yield run
