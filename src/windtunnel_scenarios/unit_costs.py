"""What an await, a task, a group of tasks, a thread and a call through a thread cost, each for one unit."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Thread
from time import perf_counter

from windtunnel_scenarios.model import Outcome, RecordingRun, Run, Scenario, Series, Technique, Variant
from windtunnel_scenarios.support.loops import call, on_loop, uvloop_factory
from windtunnel_scenarios.tasks import (
    Units,
    await_each,
    create_tasks,
    eager_tasks,
    gathered,
    plain_calls,
    task_group,
    unit,
)
from windtunnel_scenarios.thread_roundtrip import submit, through_executor, through_to_thread


class UnitCostRun:
    """A run that records the ``seconds`` for each unit."""

    def __init__(self, run: Run, count: int) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._run, self._count = run, count

    def __call__(self) -> Outcome:
        start = perf_counter()
        outcome = self._run()
        self.recorded = {"seconds": ((perf_counter() - start) / self._count,)}
        return outcome


def each(technique: Technique[Units]) -> Technique[Units]:
    """Return the technique with runs that record the time for each unit."""

    @contextmanager
    def open_run(load: Units, /) -> Iterator[RecordingRun]:
        with technique(load) as run:
            yield UnitCostRun(run, load.count)

    return open_run


async def gather_each(load: Units) -> Outcome:
    """Pass ten units to each of several ``asyncio.gather``."""
    return await in_tens(load, gathered)


async def group_each(load: Units) -> Outcome:
    """Create ten tasks in each of several ``asyncio.TaskGroup``."""
    return await in_tens(load, task_group)


async def in_tens(load: Units, start: Callable[[Units], Coroutine[object, object, Outcome]]) -> Outcome:
    """Start the units in tens; the sum is that of all numbers."""
    total = 0
    for first in range(0, load.count, 10):
        (part,) = await start(Units(count=10))
        assert isinstance(part, int)
        total += part + 10 * first
    return (total,)


def threads_each(load: Units) -> Outcome:
    """Start a thread for each unit, and wait for its end."""
    results = list[int]()
    for number in range(load.count):
        thread = Thread(target=lambda number=number: results.append(unit(number)))
        thread.start()
        thread.join()
    return (sum(results),)


async def sleep_each(load: Units) -> Outcome:
    """Let the loop run once for each unit."""
    total = 0
    for number in range(load.count):
        await asyncio.sleep(0)
        total += number
    return (total,)


ON_UVLOOP = partial(on_loop, factory=uvloop_factory)

UNIT_COSTS = Scenario(
    name="unit_costs",
    loads=Series(trial=Units(count=20), points={"1000_units": Units(count=1_000), "10000_units": Units(count=10_000)}),
    variants=(
        Variant(name="call", technique=each(call(plain_calls))),
        Variant(name="await_each", technique=each(on_loop(await_each))),
        Variant(name="sleep_0", technique=each(on_loop(sleep_each))),
        Variant(name="create_task", technique=each(on_loop(create_tasks))),
        Variant(name="eager_tasks", technique=each(eager_tasks), min_python=(3, 12)),
        Variant(name="gather", technique=each(on_loop(gathered))),
        Variant(name="gather_tens", technique=each(on_loop(gather_each))),
        Variant(name="task_group", technique=each(on_loop(task_group))),
        Variant(name="task_group_tens", technique=each(on_loop(group_each))),
        Variant(name="thread", technique=each(call(threads_each))),
        Variant(name="submit", technique=each(submit)),
        Variant(name="to_thread", technique=each(on_loop(through_to_thread, threads=1))),
        Variant(name="run_in_executor", technique=each(on_loop(through_executor, threads=1))),
        Variant(name="uvloop_sleep_0", technique=each(ON_UVLOOP(sleep_each)), requires=("uvloop",)),
        Variant(name="uvloop_create_task", technique=each(ON_UVLOOP(create_tasks)), requires=("uvloop",)),
        Variant(name="uvloop_gather", technique=each(ON_UVLOOP(gathered)), requires=("uvloop",)),
        Variant(name="uvloop_task_group", technique=each(ON_UVLOOP(task_group)), requires=("uvloop",)),
        Variant(name="uvloop_to_thread", technique=each(ON_UVLOOP(through_to_thread, threads=1)), requires=("uvloop",)),
    ),
)

SCENARIOS = (UNIT_COSTS,)
