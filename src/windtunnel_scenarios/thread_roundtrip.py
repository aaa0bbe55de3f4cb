"""Going to a thread and back, again and again: what each bridge between loop and threads costs."""

from asyncio import get_running_loop, run_coroutine_threadsafe, to_thread
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import background_loop, on_loop
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.tasks import Units, async_unit, unit


@contextmanager
def submit(load: Units) -> Iterator[Run]:
    """Use ``submit`` and ``result`` of a thread pool, without a loop."""
    with warm_threads(1) as pool:

        def run() -> Outcome:
            return (sum([pool.submit(unit, number).result() for number in range(load.count)]),)

        yield run


async def through_to_thread(load: Units) -> Outcome:
    """Use ``asyncio.to_thread``, which takes the context along."""
    return (sum([await to_thread(unit, number) for number in range(load.count)]),)


async def through_executor(load: Units) -> Outcome:
    """Use ``loop.run_in_executor`` with the loop's own pool."""
    loop = get_running_loop()
    return (sum([await loop.run_in_executor(None, unit, number) for number in range(load.count)]),)


@contextmanager
def from_another_thread(load: Units) -> Iterator[Run]:
    """Use ``asyncio.run_coroutine_threadsafe``: from this thread to a loop in another, and back."""
    with background_loop() as loop:

        def run() -> Outcome:
            return (sum([run_coroutine_threadsafe(async_unit(number), loop).result() for number in range(load.count)]),)

        yield run


THREAD_ROUNDTRIP = Scenario(
    name="thread_roundtrip",
    loads=Loads(
        trial=Units(count=10), quick=Units(count=1_000), standard=Units(count=2_000), article=Units(count=10_000)
    ),
    variants=(
        Variant(name="submit", technique=submit),
        Variant(name="to_thread", technique=on_loop(through_to_thread, threads=1)),
        Variant(name="run_in_executor", technique=on_loop(through_executor, threads=1)),
        Variant(name="run_coroutine_threadsafe", technique=from_another_thread),
    ),
)

SCENARIOS = (THREAD_ROUNDTRIP,)
