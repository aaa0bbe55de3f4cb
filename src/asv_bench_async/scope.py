"""What a process holds open for its benchmark: the watch over coroutines, the loop, what `setup_process` opened."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import signal
import sys
import threading
import types
from typing import TYPE_CHECKING, Any, NoReturn

from asv_bench_async.errors import SetupProcessError
from asv_bench_async.functions import Function, is_async, refuse_awaitable, undecorated, where
from asv_bench_async.unawaited import Unawaited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    from asv_bench_async.session import Session


@contextlib.contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM, which asv sends one second before it kills, into SystemExit, so that teardowns run.

    A handler of the suite is kept.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    owner = os.getpid()

    def leave(number: int, _frame: object) -> NoReturn:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if os.getpid() != owner:  # a forked child ends as without this handler
            os.kill(os.getpid(), signal.SIGTERM)
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        if os.getpid() == owner:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def prepared(function: Function, params: tuple[Any, ...], session: Callable[[], Session]) -> Iterator[None]:
    """Run a `setup_process` hook and keep open what it opens; call `session` only when there is something to await.

    The hook is a generator with one yield, a plain or coroutine function that opens nothing, or a function that returns
    a context manager.
    """
    made = _call_hook(function, params)
    if inspect.iscoroutine(made) and inspect.iscoroutinefunction(undecorated(function)):
        made = session().run(made)
    if hasattr(made, "__aenter__"):
        made = _keep_open(made, session())
    if not hasattr(made, "__enter__"):
        refuse_awaitable(made, function)
        made = contextlib.nullcontext()
    failure: BaseException | None = None
    try:
        with made:
            try:
                yield
            except BaseException as error:  # noqa: BLE001 - raised below: the code after the yield runs in any case
                failure = error
    except RuntimeError as error:
        if str(error).startswith("generator didn't"):  # contextlib: "didn't yield", "didn't stop"
            raise SetupProcessError(f"{where(function)} must yield exactly once: {error}") from error
        raise
    if failure is not None:
        raise failure


def _call_hook(function: Function, params: tuple[Any, ...]) -> Any:
    inner = undecorated(function)
    if inspect.isasyncgenfunction(inner):
        return contextlib.asynccontextmanager(function)(*params)
    if inspect.isgeneratorfunction(inner):
        return contextlib.contextmanager(function)(*params)
    return function(*params)


@contextlib.contextmanager
def _keep_open(manager: AbstractAsyncContextManager[Any], session: Session) -> Iterator[None]:
    """Keep it open in its own task: the task that enters a task group or timeout must also leave it."""
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


class Scope:
    """The resources of a process, from before the first hook to after the last; the loop is created on first use.

    A suite without anything asynchronous never imports asyncio, so its memory and start time are unchanged.
    """

    def __init__(self, function: Function, loop_factory: object, params: tuple[Any, ...]) -> None:
        self.unawaited = Unawaited(function)
        self._function = function
        self._loop_factory = loop_factory
        self._params = params
        self._stack = contextlib.ExitStack()
        self._session: Session | None = None

    def open(self) -> None:
        self._stack.enter_context(self.unawaited)

    def close(self, *, quietly: bool) -> None:
        """Close in reverse order; *quietly* when an error is already raised, which a second one would hide."""
        self.unawaited.quiet = quietly
        if self._session is not None:
            self._session.quiet = quietly
        self._stack.close()

    def session(self) -> Session:
        if self._session is None:
            from asv_bench_async.loops import new_loop  # noqa: PLC0415 - importing asyncio costs time: see the class
            from asv_bench_async.session import Session  # noqa: PLC0415 - the same

            self._stack.enter_context(exit_on_sigterm())
            loop = new_loop(self._loop_factory, self._params)
            self._session = Session(loop, self._function)
            self._stack.enter_context(self._session)
        return self._session

    def prepare(self, function: Function) -> None:
        """Run a `setup_process` and keep open what it opens."""
        self._stack.enter_context(exit_on_sigterm())
        self._stack.enter_context(prepared(function, self._params, self.session))
        self.unawaited.check(function)

    def runnable(self, function: Function, *, is_call: bool = False) -> Function:
        """Return a plain function that awaits the coroutine, and rejects awaitables that are never awaited.

        A method stays a method, which asv checks.
        """
        if isinstance(function, types.MethodType):
            return types.MethodType(self._plain(function.__func__, is_call=is_call), function.__self__)
        return self._plain(function, is_call=is_call)

    def _plain(self, function: Function, *, is_call: bool) -> Function:
        @functools.wraps(function)
        def run(*args: Any) -> Any:
            self.unawaited.listen()
            result = self._run(function, args, is_call=is_call)
            refuse_awaitable(result, function)
            self.unawaited.check(function)
            return result

        return run

    def _run(self, function: Function, args: tuple[Any, ...], *, is_call: bool) -> Any:
        if not is_async(function):
            return self._session.call(function, args) if self._session else function(*args)
        session = self.session()
        if not is_call:
            return session.run(function(*args))

        async def call() -> Any:
            result = await function(*args)
            await session.verify(function)
            return result

        return session.run_call(call())
