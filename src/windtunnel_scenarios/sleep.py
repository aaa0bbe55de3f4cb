"""Waiting three times: what concurrency gains without work, and what it costs."""

import time
from asyncio import TaskGroup, gather
from asyncio import sleep as async_sleep
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import call, on_loop
from windtunnel_scenarios.support.pools import warm_threads


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleeps:
    """The periods to wait, in seconds; whole milliseconds, to which asyncio's timers round on Linux."""

    periods: tuple[float, ...]

    @property
    def outcome(self) -> Outcome:
        """Each period, once it is over."""
        return self.periods


def sleep(period: float) -> float:
    """Block this thread for a period."""
    time.sleep(period)
    return period


def sync(load: Sleeps) -> Outcome:
    """Call ``time.sleep`` for one period after the other."""
    return tuple(sleep(period) for period in load.periods)


async def async_sequential(load: Sleeps) -> Outcome:
    """Await one ``asyncio.sleep`` after the other: coroutines without concurrency."""
    return tuple([await async_sleep(period, period) for period in load.periods])


async def gathered(load: Sleeps) -> Outcome:
    """Wait for all periods at once with ``asyncio.gather``."""
    return tuple(await gather(*(async_sleep(period, period) for period in load.periods)))


async def task_group(load: Sleeps) -> Outcome:
    """Wait for all periods at once in an ``asyncio.TaskGroup``."""
    async with TaskGroup() as group:
        tasks = [group.create_task(async_sleep(period, period)) for period in load.periods]
    return tuple(task.result() for task in tasks)


@contextmanager
def threads(load: Sleeps) -> Iterator[Run]:
    """Wait for all periods at once, each in a thread of its own."""
    with warm_threads(len(load.periods)) as pool:

        def run() -> Outcome:
            return tuple(pool.map(sleep, load.periods))

        yield run


SLEEP = Scenario(
    name="sleep",
    skip_warmup=(LoadName.ARTICLE,),
    loads=Loads(
        trial=Sleeps(periods=(0.001, 0.002, 0.003)),
        quick=Sleeps(periods=(0.1, 0.1, 0.1)),
        standard=Sleeps(periods=(0.2, 0.2, 0.2)),
        article=Sleeps(periods=(1.0, 2.0, 3.0)),
    ),
    variants=(
        Variant(name="sync", technique=call(sync)),
        Variant(name="async_sequential", technique=on_loop(async_sequential)),
        Variant(name="gather", technique=on_loop(gathered)),
        Variant(name="task_group", technique=on_loop(task_group)),
        Variant(name="threads", technique=threads),
    ),
)

SCENARIOS = (SLEEP,)
