"""A loop that runs in a thread of its own."""

from asyncio import AbstractEventLoop
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.support.loops import kept_loop
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def background_loop() -> Iterator[AbstractEventLoop]:
    """An open loop that runs until the end of the context."""
    with kept_loop() as loop, warm_threads(1) as pool:
        running = pool.submit(loop.run_forever)
        try:
            yield loop
        finally:
            loop.call_soon_threadsafe(loop.stop)
            running.result()
