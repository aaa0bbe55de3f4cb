"""A function call: what timing costs every variant."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.contract import Outcome, Run
from windtunnel_scenarios.harness import Nothing


@contextmanager
def prepare(load: Nothing) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        return load.outcome

    yield run
