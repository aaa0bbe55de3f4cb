"""A loop in a thread of its own, asked from this one: two hand-overs between threads in each run."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Outcome, Run
from windtunnel.scenarios.harness import Nothing
from windtunnel.scenarios.loop import kept_loop
from windtunnel.scenarios.threads import warm_threads


@contextmanager
def prepare(load: Nothing) -> Iterator[Run]:
    """A loop that runs in a thread until the end."""

    async def job() -> Outcome:
        return load.outcome

    def run() -> Outcome:
        return asyncio.run_coroutine_threadsafe(job(), loop).result()

    with kept_loop() as loop, warm_threads(1) as pool:
        running = pool.submit(loop.run_forever)
        try:
            yield run
        finally:
            loop.call_soon_threadsafe(loop.stop)
            running.result()
