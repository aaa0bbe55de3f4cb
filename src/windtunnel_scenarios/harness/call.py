"""A function call: what timing costs every variant."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.harness import Nothing
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Nothing) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        return load.outcome

    yield run
