"""Starting many units of work that do nothing: what each way to start one costs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import call, event_loop, on_loop, on_trio, run_on, uvloop_factory
from windtunnel_scenarios.support.pools import warm_threads

THREADS = 4

TIMEOUT = 60
"""Seconds; long enough to never expire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """How many."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """Each unit returns its number: their sum."""
        return (sum(range(self.count)),)


def unit(number: int) -> int:
    """Do nothing."""
    return number


async def async_unit(number: int) -> int:
    """Do nothing, and await nothing."""
    return number


def plain_calls(load: Units) -> Outcome:
    """Call a plain function for each unit."""
    return (sum([unit(number) for number in range(load.count)]),)


async def await_each(load: Units) -> Outcome:
    """Await a coroutine for each unit, without a task."""
    return (sum([await async_unit(number) for number in range(load.count)]),)


async def create_tasks(load: Units) -> Outcome:
    """Create a task for each unit with ``asyncio.create_task``, then await one by one."""
    tasks = [asyncio.create_task(async_unit(number)) for number in range(load.count)]
    return (sum([await task for task in tasks]),)


async def gathered(load: Units) -> Outcome:
    """Pass all units to ``asyncio.gather``, which creates the tasks."""
    return (sum(await asyncio.gather(*(async_unit(number) for number in range(load.count)))),)


async def task_group(load: Units) -> Outcome:
    """Create a task for each unit in an ``asyncio.TaskGroup``."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(async_unit(number)) for number in range(load.count)]
    return (sum([task.result() for task in tasks]),)


async def anyio_group(load: Units) -> Outcome:
    """Start a task for each unit in a task group of anyio."""
    from anyio import create_task_group

    results: list[int] = []
    async with create_task_group() as group:
        for number in range(load.count):
            group.start_soon(append_unit, results, number)
    return (sum(results),)


async def nursery(load: Units) -> Outcome:
    """Start a task for each unit in a nursery of trio."""
    from trio import open_nursery

    results: list[int] = []
    async with open_nursery() as group:
        for number in range(load.count):
            group.start_soon(append_unit, results, number)
    return (sum(results),)


async def append_unit(results: list[int], number: int) -> None:
    """Keep the number: a task of a nursery returns nothing."""
    results.append(number)


@contextmanager
def eager_tasks(load: Units) -> Iterator[Run]:
    """Pass all units to ``asyncio.gather``; eager tasks start at once, and these end before the loop sees them."""
    with event_loop() as loop:
        loop.set_task_factory(getattr(asyncio, "eager_task_factory"))  # noqa: B009 - absent from 3.11's types
        yield run_on(loop, partial(gathered, load))


async def timeouts(load: Units) -> Outcome:
    """Await a coroutine for each unit under an ``asyncio.timeout``."""
    total = 0
    for number in range(load.count):
        async with asyncio.timeout(TIMEOUT):
            total += await async_unit(number)
    return (total,)


async def wait_for(load: Units) -> Outcome:
    """Await a coroutine for each unit with ``asyncio.wait_for``."""
    return (sum([await asyncio.wait_for(async_unit(number), TIMEOUT) for number in range(load.count)]),)


async def anyio_timeouts(load: Units) -> Outcome:
    """Await a coroutine for each unit under a ``fail_after`` of anyio."""
    from anyio import fail_after

    total = 0
    for number in range(load.count):
        with fail_after(TIMEOUT):
            total += await async_unit(number)
    return (total,)


async def trio_timeouts(load: Units) -> Outcome:
    """Await a coroutine for each unit under a ``fail_after`` of trio."""
    from trio import fail_after

    total = 0
    for number in range(load.count):
        with fail_after(TIMEOUT):
            total += await async_unit(number)
    return (total,)


@contextmanager
def threads(load: Units) -> Iterator[Run]:
    """Call a function for each unit in a pool of four threads."""
    with warm_threads(THREADS) as pool:

        def run() -> Outcome:
            return (sum(pool.map(unit, range(load.count))),)

        yield run


TASKS = Scenario(
    name="tasks",
    loads=Loads(
        trial=Units(count=10), quick=Units(count=5_000), standard=Units(count=20_000), article=Units(count=100_000)
    ),
    variants=(
        Variant(name="call", technique=call(plain_calls)),
        Variant(name="await_each", technique=on_loop(await_each)),
        Variant(name="create_task", technique=on_loop(create_tasks)),
        Variant(name="gather", technique=on_loop(gathered)),
        Variant(name="task_group", technique=on_loop(task_group)),
        Variant(name="eager_tasks", technique=eager_tasks, min_python=(3, 12)),
        Variant(name="timeout", technique=on_loop(timeouts)),
        Variant(name="wait_for", technique=on_loop(wait_for)),
        Variant(name="uvloop_gather", technique=on_loop(gathered, factory=uvloop_factory), requires=("uvloop",)),
        Variant(name="anyio_asyncio", technique=on_loop(anyio_group), requires=("anyio",)),
        Variant(name="anyio_trio", technique=on_trio(anyio_group), requires=("anyio", "trio")),
        Variant(name="trio", technique=on_trio(nursery), requires=("trio",)),
        Variant(name="anyio_asyncio_timeout", technique=on_loop(anyio_timeouts), requires=("anyio",)),
        Variant(name="anyio_trio_timeout", technique=on_trio(anyio_timeouts), requires=("anyio", "trio")),
        Variant(name="trio_timeout", technique=on_trio(trio_timeouts), requires=("trio",)),
        Variant(name="threads", technique=threads),
    ),
)

SCENARIOS = (TASKS,)
