"""The event loop that drives a coroutine variant: one for all its runs, so that no run pays for opening one."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, TypeVar

from windtunnel_scenarios.model import Outcome, Run

T = TypeVar("T")


@contextmanager
def kept_loop(
    executor: ThreadPoolExecutor | None = None, factory: Callable[[], asyncio.AbstractEventLoop] | None = None
) -> Iterator[asyncio.AbstractEventLoop]:
    """An open loop, asyncio's own or the factory's; at the end its tasks, generators and executor are shut down."""
    with asyncio.Runner(loop_factory=factory) as runner:
        loop = runner.get_loop()
        if executor is not None:
            loop.set_default_executor(executor)
        yield loop


def driven(loop: asyncio.AbstractEventLoop, job: Callable[[], Coroutine[Any, Any, Outcome]]) -> Run:
    """A run that carries ``job`` out on ``loop`` and returns its outcome."""

    def run() -> Outcome:
        return loop.run_until_complete(job())

    return run


def called_on(loop: asyncio.AbstractEventLoop, function: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Call a coroutine function on a loop that is not running, and return its result."""
    return loop.run_until_complete(function())


@contextmanager
def opened_on(loop: asyncio.AbstractEventLoop, resource: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """Open an asynchronous context manager on a loop that runs in between only, and close it there."""
    opened = loop.run_until_complete(resource.__aenter__())
    try:
        yield opened
    finally:
        loop.run_until_complete(resource.__aexit__(None, None, None))
