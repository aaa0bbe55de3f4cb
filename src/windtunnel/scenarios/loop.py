"""The event loop that drives a coroutine variant: one for all its runs, so that no run pays for opening one."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from windtunnel.scenarios.contract import Outcome, Run


@contextmanager
def kept_loop(executor: ThreadPoolExecutor | None = None) -> Iterator[asyncio.AbstractEventLoop]:
    """An open loop; at the end its tasks, async generators and executor are shut down."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        if executor is not None:
            loop.set_default_executor(executor)
        yield loop


def driven(loop: asyncio.AbstractEventLoop, job: Callable[[], Coroutine[Any, Any, Outcome]]) -> Run:
    """A run that carries ``job`` out on ``loop`` and returns its outcome."""

    def run() -> Outcome:
        return loop.run_until_complete(job())

    return run
