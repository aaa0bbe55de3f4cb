"""The hook `setup_process`: runs once per process, before the first setup; what follows its yield runs at the end."""

from __future__ import annotations

import contextlib
import inspect
from typing import TYPE_CHECKING, Any

from asv_bench_async.errors import SetupProcessError
from asv_bench_async.functions import Function, refuse_awaitable, undecorated, where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    from asv_bench_async.session import Session


@contextlib.contextmanager
def prepared(function: Function, params: tuple[Any, ...], session: Callable[[], Session]) -> Iterator[None]:
    """Hold open what the hook opens; `session` is asked for only when there is something to await.

    The hook is a generator with one yield, a plain or coroutine function that leaves nothing to close, or a function
    that returns a context manager.
    """
    made = _called(function, params)
    if inspect.iscoroutine(made) and inspect.iscoroutinefunction(undecorated(function)):
        made = session().run(made)
    if hasattr(made, "__aenter__"):
        made = _held(made, session())
    if not hasattr(made, "__enter__"):
        refuse_awaitable(made, function)
        made = contextlib.nullcontext()
    failure: BaseException | None = None
    try:
        with made:
            try:
                yield
            except BaseException as error:  # noqa: BLE001 - raised below: what follows the yield runs in any case
                failure = error
    except RuntimeError as error:
        if str(error).startswith("generator didn't"):  # contextlib's words: "didn't yield", "didn't stop"
            raise SetupProcessError(f"{where(function)} has to yield exactly once: {error}") from error
        raise
    if failure is not None:
        raise failure


def _called(function: Function, params: tuple[Any, ...]) -> Any:
    bare = undecorated(function)
    if inspect.isasyncgenfunction(bare):
        return contextlib.asynccontextmanager(function)(*params)
    if inspect.isgeneratorfunction(bare):
        return contextlib.contextmanager(function)(*params)
    return function(*params)


@contextlib.contextmanager
def _held(manager: AbstractAsyncContextManager[Any], session: Session) -> Iterator[None]:
    """Hold it open in a task of its own: task groups and timeouts have to be left in the task that entered them."""
    ready, closing = session.loop.create_future(), session.loop.create_future()

    async def hold() -> None:
        async with manager:
            ready.set_result(None)
            await closing

    task = session.start(hold())
    session.wait_first(ready, task)
    if task.done():
        task.result()
    try:
        yield
    finally:
        if not closing.done():
            closing.set_result(None)
        session.wait_first(task)
        task.result()
