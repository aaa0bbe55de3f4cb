"""Event loops that stay open for all runs of a case, and techniques that run a coroutine on one."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, TypeAlias, TypeVar

from windtunnel_scenarios.model import Load, Outcome, Run, Technique
from windtunnel_scenarios.support.pools import warm_threads

T = TypeVar("T")
L = TypeVar("L", bound=Load)

LoopFactory: TypeAlias = Callable[[], asyncio.AbstractEventLoop]

Coroutines: TypeAlias = Callable[[], Iterable[Coroutine[Any, Any, object]]]
"""Creates the coroutines of one run."""

OpenCoroutines: TypeAlias = Callable[[L, asyncio.AbstractEventLoop], AbstractContextManager[Coroutines]]
"""Opens on a loop what the coroutines of a load need, yields the function that creates them, and closes everything."""


@contextmanager
def event_loop(
    executor: ThreadPoolExecutor | None = None, factory: LoopFactory | None = None
) -> Iterator[asyncio.AbstractEventLoop]:
    """Open a loop, asyncio's own or the factory's; at the end shut down its tasks, generators and executor."""
    with asyncio.Runner(loop_factory=factory) as runner:
        loop = runner.get_loop()
        if executor is not None:
            loop.set_default_executor(executor)
        yield loop


def uvloop_factory() -> asyncio.AbstractEventLoop:
    """Create a loop of uvloop."""
    import uvloop

    return uvloop.new_event_loop()


@contextmanager
def background_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Open a loop that runs in a thread of its own until the end of the context."""
    with event_loop() as loop, warm_threads(1) as pool:
        running = pool.submit(loop.run_forever)
        try:
            yield loop
        finally:
            loop.call_soon_threadsafe(loop.stop)
            running.result()


def run_on(loop: asyncio.AbstractEventLoop, job: Callable[[], Coroutine[Any, Any, Outcome]]) -> Run:
    """Return a run that executes a coroutine of ``job`` on ``loop``."""

    def run() -> Outcome:
        return loop.run_until_complete(job())

    return run


@contextmanager
def opened_on(loop: asyncio.AbstractEventLoop, resource: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """Open an asynchronous context manager on a loop that is not running now, and close it there."""
    opened = loop.run_until_complete(resource.__aenter__())
    try:
        yield opened
    finally:
        loop.run_until_complete(resource.__aexit__(None, None, None))


def call(job: Callable[[L], Outcome]) -> Technique[L]:
    """Return a technique that calls a function and needs nothing else."""

    def technique(load: L, /) -> AbstractContextManager[Run]:
        return nullcontext(partial(job, load))

    return technique


def on_loop(
    job: Callable[[L], Coroutine[Any, Any, Outcome]], *, threads: int = 0, factory: LoopFactory | None = None
) -> Technique[L]:
    """Return a technique that executes a coroutine function on an open loop.

    ``threads`` is the size of the loop's default executor; 0 leaves it to asyncio.
    """

    @contextmanager
    def technique(load: L, /) -> Iterator[Run]:
        with default_executor(threads) as pool, event_loop(pool, factory) as loop:
            yield run_on(loop, partial(job, load))

    return technique


def on_trio(job: Callable[[L], Coroutine[Any, Any, Outcome]]) -> Technique[L]:
    """Return a technique that executes a coroutine function with ``trio.run``, which opens a loop in each run."""

    def technique(load: L, /) -> AbstractContextManager[Run]:
        import trio

        return nullcontext(partial(trio.run, job, load))

    return technique


def gathered(
    open_coroutines: OpenCoroutines[L], *, threads: int = 0, factory: LoopFactory | None = None
) -> Technique[L]:
    """Return a technique that passes coroutines to ``asyncio.gather``; the parameters are those of ``on_loop``."""

    @contextmanager
    def technique(load: L, /) -> Iterator[Run]:
        with (
            default_executor(threads) as pool,
            event_loop(pool, factory) as loop,
            open_coroutines(load, loop) as coroutines,
        ):

            async def job() -> Outcome:
                return tuple(await asyncio.gather(*coroutines()))

            yield run_on(loop, job)

    return technique


def default_executor(threads: int) -> AbstractContextManager[ThreadPoolExecutor | None]:
    """Open a pool of so many threads, or none."""
    return warm_threads(threads) if threads else nullcontext()
