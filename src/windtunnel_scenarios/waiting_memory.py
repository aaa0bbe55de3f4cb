"""Threads, greenlets and tasks that only wait: how much memory they take.

Each run is a process of its own, which has had one such unit before.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Barrier, Event, Thread
from typing import Any, TypeAlias

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.procfs import pss
from windtunnel_scenarios.support.subprocess_run import Measured, measured_subprocess

OpenUnits: TypeAlias = Callable[[int], AbstractContextManager[int]]
"""Opens so many units, yields how many of them wait, and ends them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """How many."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many were waiting at the same time."""
        return (self.count,)


@contextmanager
def waiting_threads(count: int) -> Iterator[int]:
    """Threads that wait for an event."""
    started, done = Barrier(count + 1), Event()

    def wait() -> None:
        started.wait()
        done.wait()

    threads = [Thread(target=wait) for _ in range(count)]
    for thread in threads:
        thread.start()
    started.wait()
    try:
        yield sum(thread.is_alive() for thread in threads)
    finally:
        done.set()
        for thread in threads:
            thread.join()


@contextmanager
def waiting_greenlets(count: int) -> Iterator[int]:
    """Greenlets that wait for gevent's event."""
    import gevent
    from gevent.event import Event as GreenletEvent

    done = GreenletEvent()
    greenlets = [gevent.spawn(done.wait) for _ in range(count)]
    gevent.sleep(0)
    try:
        yield sum(greenlet.started and not greenlet.dead for greenlet in greenlets)
    finally:
        done.set()
        gevent.joinall(greenlets)


@contextmanager
def waiting_tasks(
    count: int, wait: Callable[[asyncio.Event], Coroutine[Any, Any, object]] = asyncio.Event.wait
) -> Iterator[int]:
    """Tasks that wait for an event, on a loop of their own."""
    with asyncio.Runner() as runner:
        loop, done = runner.get_loop(), asyncio.Event()
        tasks = [loop.create_task(wait(done)) for _ in range(count)]
        runner.run(asyncio.sleep(0))
        try:
            yield sum(not task.done() for task in tasks)
        finally:
            done.set()
            loop.run_until_complete(asyncio.wait(tasks))


async def wait_five_deep(done: asyncio.Event, depth: int = 5) -> None:
    """Wait at the end of five coroutines that await one another."""
    if depth == 1:
        await done.wait()
    else:
        await wait_five_deep(done, depth - 1)


UNITS: dict[str, OpenUnits] = {
    "threads": waiting_threads,
    "greenlets": waiting_greenlets,
    "tasks": waiting_tasks,
    "tasks_five_deep": partial(waiting_tasks, wait=wait_five_deep),
}


@contextmanager
def measure_units(kind: str, count: str) -> Iterator[Measured]:
    """In the new process: open one unit to warm up; measure the bytes that all take, in it and its descendants."""
    open_units = UNITS[kind]
    with open_units(1):
        pass

    def measured() -> tuple[list[int], int]:
        before = pss(os.getpid())
        with open_units(int(count)) as waiting:
            return [waiting], max(pss(os.getpid()) - before, 0)

    yield measured


def technique(load: Units, kind: str) -> AbstractContextManager[Run]:
    """Open units of a kind in a new process for each run."""
    return measured_subprocess(measure_units, kind, load.count)


def variant(kind: str, *requires: str) -> Variant[Units]:
    """A variant with units of a kind."""
    return Variant(name=kind, technique=partial(technique, kind=kind), requires=requires)


WAITING_TASKS = Scenario(
    name="waiting_tasks",
    skip_warmup=tuple(LoadName),
    loads=Loads(
        trial=Units(count=10), quick=Units(count=1_000), standard=Units(count=5_000), article=Units(count=10_000)
    ),
    variants=(variant("threads"), variant("greenlets", "gevent"), variant("tasks"), variant("tasks_five_deep")),
)

SCENARIOS = (WAITING_TASKS,)
