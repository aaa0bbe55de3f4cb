"""A coroutine on the one loop that stays open between runs: what every coroutine variant pays."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.harness import Nothing
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Nothing) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        return load.outcome

    with kept_loop() as loop:
        yield driven(loop, job)
