"""Many tasks that wait until they are cancelled, or fail in nested groups: asyncio, anyio and trio."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol, TypeAlias, TypeVar

from windtunnel_scenarios.model import Load, Loads, Outcome, Scenario, Variant
from windtunnel_scenarios.support.loops import LoopFactory, on_loop, on_trio, uvloop_factory
from windtunnel_scenarios.support.recording import recording

L = TypeVar("L", bound=Load)

FAILURE = "one task failed"


class TaskFailedError(Exception):
    """Raised by one task of a tree of groups."""


class Event(Protocol):
    """What the events of asyncio, anyio and trio have in common."""

    async def wait(self) -> object: ...
    def set(self) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What a job uses of asyncio, anyio or trio."""

    event: Callable[[], Event]
    open_group: Callable[[], AbstractAsyncContextManager[Any]]
    start: Callable[..., object]
    """Starts a coroutine function with its arguments in a group."""
    sleep: Callable[[float], Awaitable[object]]


GroupJob: TypeAlias = Callable[[L, Library], Coroutine[Any, Any, Outcome]]
"""A job in groups of tasks; returns the seconds of what is measured, and its outcome."""


def use_asyncio() -> Library:
    """Use asyncio's own groups."""

    def start(group: asyncio.TaskGroup, function: Callable[..., Coroutine[Any, Any, None]], *arguments: object) -> None:
        group.create_task(function(*arguments))

    return Library(
        event=asyncio.Event,
        open_group=asyncio.TaskGroup,
        start=start,
        sleep=asyncio.sleep,
    )


def use_anyio() -> Library:
    """Use anyio's groups, on the backend that runs."""
    import anyio

    return Library(
        event=anyio.Event,
        open_group=anyio.create_task_group,
        start=lambda group, *work: group.start_soon(*work),
        sleep=anyio.sleep,
    )


def use_trio() -> Library:
    """Use trio's nurseries."""
    import trio

    return Library(
        event=trio.Event,
        open_group=trio.open_nursery,
        start=trio.Nursery.start_soon,
        sleep=trio.sleep,
    )


def asyncio_variant(
    name: str,
    job: GroupJob[L],
    *,
    open_library: Callable[[], Library] = use_asyncio,
    factory: LoopFactory | None = None,
) -> Variant[L]:
    """A job on a loop of asyncio or the factory's."""

    async def on_library(load: L) -> Outcome:
        return await job(load, open_library())

    requires = ("uvloop",) if factory else ("anyio",) if open_library is use_anyio else ()
    return Variant(name=name, technique=recording(on_loop(on_library, factory=factory)), requires=requires)


def trio_variant(name: str, job: GroupJob[L], *, open_library: Callable[[], Library] = use_trio) -> Variant[L]:
    """A job on a loop of trio."""

    async def on_library(load: L) -> Outcome:
        return await job(load, open_library())

    requires = ("anyio", "trio") if open_library is use_anyio else ("trio",)
    return Variant(name=name, technique=recording(on_trio(on_library)), requires=requires)


def group_variants(job: GroupJob[L], asyncio_job: GroupJob[L] | None = None) -> tuple[Variant[L], ...]:
    """A job with asyncio's groups, with anyio's on both backends, and with trio's."""
    return (
        asyncio_variant("task_group", asyncio_job or job),
        asyncio_variant("uvloop_task_group", asyncio_job or job, factory=uvloop_factory),
        asyncio_variant("anyio_asyncio", job, open_library=use_anyio),
        trio_variant("anyio_trio", job, open_library=use_anyio),
        trio_variant("trio", job),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """How many tasks wait at the same time."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many were cancelled."""
        return (self.count,)


class Waiting:
    """Counts the tasks of a run that wait, and those of them that were cancelled."""

    def __init__(self) -> None:
        self.started = self.cancelled = 0

    async def wait(self, event: Event) -> None:
        """Wait for an event."""
        self.started += 1
        try:
            await event.wait()
        except BaseException:
            self.cancelled += 1
            raise

    async def until_started(self, count: int, sleep: Callable[[float], Awaitable[object]]) -> None:
        """Let other tasks run until so many wait."""
        while self.started < count:
            await sleep(0)


async def cancel_each(load: Waits, library: Library) -> Outcome:
    """Call ``cancel`` of each of asyncio's tasks, and wait for all."""
    waiting = Waiting()
    tasks = [asyncio.create_task(waiting.wait(library.event())) for _ in range(load.count)]
    await waiting.until_started(load.count, library.sleep)
    begin = perf_counter()
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    return perf_counter() - begin, waiting.cancelled


async def cancel_gather(load: Waits, library: Library) -> Outcome:
    """Cancel what ``asyncio.gather`` returned."""
    waiting = Waiting()
    gathered = asyncio.gather(*(waiting.wait(library.event()) for _ in range(load.count)))
    await waiting.until_started(load.count, library.sleep)
    begin = perf_counter()
    gathered.cancel()
    with suppress(asyncio.CancelledError):
        await gathered
    return perf_counter() - begin, waiting.cancelled


async def cancel_task_group(load: Waits, library: Library) -> Outcome:
    """Cancel the task that has opened an ``asyncio.TaskGroup``: a group itself cannot be before Python 3.15."""
    waiting = Waiting()

    async def open_group() -> None:
        async with library.open_group() as group:
            for _ in range(load.count):
                library.start(group, waiting.wait, library.event())

    owner = asyncio.create_task(open_group())
    await waiting.until_started(load.count, library.sleep)
    begin = perf_counter()
    owner.cancel()
    await asyncio.wait([owner])
    return perf_counter() - begin, waiting.cancelled


async def cancel_scope(load: Waits, library: Library) -> Outcome:
    """Cancel the scope of a group of anyio, or of a nursery of trio."""
    waiting, begin = Waiting(), 0.0
    async with library.open_group() as group:
        for _ in range(load.count):
            library.start(group, waiting.wait, library.event())
        await waiting.until_started(load.count, library.sleep)
        begin = perf_counter()
        group.cancel_scope.cancel()
    return perf_counter() - begin, waiting.cancelled


CANCEL_TASKS = Scenario(
    name="cancel_tasks",
    loads=Loads(trial=Waits(count=10), quick=Waits(count=1_000), standard=Waits(count=10_000)),
    variants=(
        asyncio_variant("each", cancel_each),
        asyncio_variant("gather", cancel_gather),
        *group_variants(cancel_scope, cancel_task_group),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Groups in groups: each has so many members, and those of the innermost groups are tasks that wait."""

    members: int
    depth: int

    @property
    def tasks(self) -> int:
        """How many tasks wait."""
        return int(self.members**self.depth)

    @property
    def outcome(self) -> Outcome:
        """How many tasks were cancelled, in how many groups the error is, and the error."""
        return self.tasks - 1, self.depth, FAILURE


async def fail_in_groups(load: Tree, library: Library) -> Outcome:
    """Let one task fail when all wait, until its error has left all groups."""
    waiting, failure, begin = Waiting(), library.event(), 0.0

    async def fail() -> None:
        await failure.wait()
        raise TaskFailedError(FAILURE)

    async def branch(depth: int, is_first: bool) -> None:  # noqa: FBT001 - trio passes positions only
        nonlocal begin
        async with library.open_group() as group:
            for number in range(load.members):
                if depth > 1:
                    library.start(group, branch, depth - 1, is_first and number == 0)
                elif is_first and number == 0:
                    library.start(group, fail)
                else:
                    library.start(group, waiting.wait, library.event())
            if depth == load.depth:
                await waiting.until_started(load.tasks - 1, library.sleep)
                begin = perf_counter()
                failure.set()

    try:
        await branch(load.depth, is_first=True)
    except BaseExceptionGroup as error:
        return perf_counter() - begin, waiting.cancelled, *describe(error)
    raise AssertionError("no task failed")


def describe(error: BaseException) -> Outcome:
    """Return in how many groups an error is, each of which has one member, and the error."""
    depth = 0
    while isinstance(error, BaseExceptionGroup):
        (error,) = error.exceptions
        depth += 1
    return depth, str(error)


NESTED_FAILURE = Scenario(
    name="nested_failure",
    loads=Loads(trial=Tree(members=2, depth=3), quick=Tree(members=10, depth=3), standard=Tree(members=20, depth=3)),
    variants=group_variants(fail_in_groups),
)


SCENARIOS = (CANCEL_TASKS, NESTED_FAILURE)
