"""``asyncio.run``, which opens and closes a loop in each run."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.harness import Nothing
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Nothing) -> Iterator[Run]:
    """Nothing to open."""

    async def job() -> Outcome:
        return load.outcome

    def run() -> Outcome:
        return asyncio.run(job())

    yield run
