"""A loop in a thread of its own, asked from this one: two hand-overs between threads in each run."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.background import background_loop
from windtunnel_scenarios.harness import Nothing
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Nothing) -> Iterator[Run]:
    """A loop that runs in a thread until the end."""

    async def job() -> Outcome:
        return load.outcome

    with background_loop() as loop:

        def run() -> Outcome:
            return asyncio.run_coroutine_threadsafe(job(), loop).result()

        yield run
