"""What one process holds open for its benchmark: the watch over coroutines, the loop, what setup_process opened."""

from __future__ import annotations

import contextlib
import functools
import types
from typing import TYPE_CHECKING, Any

from asv_bench_async.functions import Function, is_async, refuse_awaitable
from asv_bench_async.setup_process import prepared
from asv_bench_async.termination import orderly
from asv_bench_async.unawaited import Unawaited

if TYPE_CHECKING:
    from asv_bench_async.session import Session


class Scope:
    """Opened before the first hook, closed after the last; the loop is made when something first needs it.

    A suite without anything asynchronous never imports asyncio: its memory and its start stay what they were.
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
        """Close in reverse order; quietly when an error is on its way already, which a second one would hide."""
        self.unawaited.quiet = quietly
        if self._session is not None:
            self._session.quiet = quietly
        self._stack.close()

    def session(self) -> Session:
        if self._session is None:
            from asv_bench_async.loops import new_loop  # noqa: PLC0415 - asyncio is not free: see the class
            from asv_bench_async.session import Session  # noqa: PLC0415 - the same

            self._stack.enter_context(orderly())
            loop = new_loop(self._loop_factory, self._params)
            self._session = Session(loop, self._function)
            self._stack.enter_context(self._session)
        return self._session

    def prepare(self, function: Function) -> None:
        """Run a `setup_process` and keep open what it opens."""
        self._stack.enter_context(orderly())
        self._stack.enter_context(prepared(function, self._params, self.session))
        self.unawaited.check(function)

    def runnable(self, function: Function, *, is_call: bool = False) -> Function:
        """The function as a plain one that awaits what it has to, and refuses what nobody would await.

        It stays a method if it was one: asv asks.
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
