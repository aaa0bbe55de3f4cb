"""``asyncio.run_coroutine_threadsafe``: from this thread to a loop in another, and back."""

from asyncio import run_coroutine_threadsafe
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.background import background_loop
from windtunnel_scenarios.crossing import Crossings
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.tasks.await_each import unit


@contextmanager
def prepare(load: Crossings) -> Iterator[Run]:
    """A loop that runs in a thread until the end."""
    with background_loop() as loop:

        def run() -> Outcome:
            return (sum([run_coroutine_threadsafe(unit(number), loop).result() for number in range(load.count)]),)

        yield run
