"""The event loop of a benchmark process: runs coroutines, finds tasks that they leave behind, shuts down."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from asv_bench_async.errors import CancelledBenchmarkError, TasksLeftError
from asv_bench_async.functions import Function, where

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from types import TracebackType

CALL: contextvars.ContextVar[object | None] = contextvars.ContextVar("asv_bench_async_call", default=None)
"""The call that is being measured.

A task inherits it from its creator, at no cost to what is timed. Handlers of a server that started before the call do
not have it.
"""

OWN_FOLDER = str(Path(__file__).parent)

Task = asyncio.Task[Any]


def context_of(task: Task) -> contextvars.Context | None:
    """Return the context of the task; Python before 3.12 has no public way to get it."""
    if sys.version_info >= (3, 12):
        return task.get_context()
    shown = [getattr(task, "_context", None)]  # tasks written in Python: PyPy
    shown += gc.get_referents(task)  # tasks in C: only the garbage collector sees it
    return next((each for each in shown if isinstance(each, contextvars.Context)), None)


def is_ending(task: Task) -> bool:
    """Return whether the task was cancelled (unknown before Python 3.11) or closes a lost generator for the loop."""
    return bool(getattr(task, "cancelling", int)()) or type(task.get_coro()).__name__ == "async_generator_athrow"


def describe(task: Task) -> str:
    """Return `name: coroutine at file:line`, the line of the user's code where the task waits."""
    frames = [f"{name} at {file}:{line}" for name, file, line in _frames(task.get_coro()) if not _is_own(file)]
    return f"{task.get_name()}: {frames[0] if frames else repr(task.get_coro())}"


def _is_own(file: str) -> bool:
    return file.startswith(OWN_FOLDER)


def _frames(coroutine: Any) -> Iterator[tuple[str, str, int]]:
    """Yield the coroutine's frame and those it awaits, outermost first."""
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is not None:
            yield coroutine.__qualname__, frame.f_code.co_filename, frame.f_lineno
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)


T = TypeVar("T")

END_TIMEOUT = 0.2
"""Seconds for tasks to end by themselves when everything is closed."""

CANCEL_TIMEOUT = 2.0
"""Seconds for tasks to end after their cancellation."""


class Session:
    """One loop for setup, calls and teardown; each coroutine runs in its own task, in a shared context."""

    def __init__(self, loop: asyncio.AbstractEventLoop, function: Function) -> None:
        self.loop = loop
        self.quiet = False
        self._function = function
        self._context = contextvars.copy_context()

    def __enter__(self) -> None:
        asyncio.set_event_loop(self.loop)  # for plain setups that get the current loop

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left = self._shut_down()
        if left and error is None and not self.quiet:
            raise TasksLeftError(
                f"tasks are still running after the teardown of {where(self._function)}: {left}. Cancel and await them "
                "in teardown, or start them in `setup_process`"
            )

    def start(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Return a new task; it runs while `run` does."""
        if sys.version_info >= (3, 11):
            return self.loop.create_task(coroutine, context=self._context)
        return self._context.run(self.loop.create_task, coroutine)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine until it ends and return its result."""
        task = self.start(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except asyncio.CancelledError as error:
            raise CancelledBenchmarkError(
                f"{where(self._function)} cancelled itself: it raised asyncio.CancelledError. Catch the error in "
                "the benchmark"
            ) from error
        except BaseException:
            if not task.done():  # Ctrl-C, asv's timeout, loop.stop()
                print(f"asv_bench_async: interrupted {describe(task)}", file=sys.stderr)  # noqa: T201 - asv shows it
                self._cancel(task)
            raise

    def call(self, function: Function, args: tuple[Any, ...]) -> Any:
        """Call a plain function between runs, in the shared context."""
        return self._context.run(function, *args)

    def run_call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a measured call, which must end with `verify`."""
        self._context.run(CALL.set, object())
        try:
            return self.run(coroutine)
        finally:
            self._context.run(CALL.set, None)

    def wait_first(self, *futures: asyncio.Future[Any]) -> None:
        """Run until the first of them is done."""

        async def wait() -> None:
            await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)

        self.run(wait())

    async def verify(self, function: Function) -> None:
        """Raise TasksLeftError when the call left tasks running; cancelled tasks get time to end."""
        left = [task for task in asyncio.all_tasks() if self._is_from_call(task)]
        ending = [task for task in left if is_ending(task)]
        if ending:
            await asyncio.wait(ending, timeout=CANCEL_TIMEOUT)
        if alive := [describe(task) for task in left if not task.done()]:
            raise TasksLeftError(
                f"{where(function)} returned while tasks that it started were running: {'; '.join(alive)}. Await them "
                "in the benchmark; if they belong to something that stays open, open it in `setup` or `setup_process`"
            )

    def _is_from_call(self, task: Task) -> bool:
        """Return whether the measured code created the task: it then has a copy of the shared context."""
        context = context_of(task)
        if context is None or context is self._context or task is asyncio.current_task():
            return False
        return context.get(CALL) is CALL.get()

    def _cancel(self, task: Task) -> None:
        task.cancel()
        self.loop.run_until_complete(asyncio.wait([task], timeout=END_TIMEOUT))

    def _shut_down(self) -> str:
        """Cancel and await all tasks, close the loop, and return a description of the tasks that were running."""
        if self.loop.is_closed():
            return ""
        try:
            left = self.run(self._end_tasks())
            self.run(self.loop.shutdown_asyncgens())
            self.run(self.loop.shutdown_default_executor())
            return left
        finally:
            asyncio.set_event_loop(None)
            self.loop.close()

    async def _end_tasks(self) -> str:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        if tasks:
            _, tasks = await asyncio.wait(tasks, timeout=END_TIMEOUT)
        left = [describe(task) for task in tasks]
        for task in tasks:
            task.cancel()
        if tasks:
            _, stubborn = await asyncio.wait(tasks, timeout=CANCEL_TIMEOUT)
            left += [f"{task.get_name()} does not end when it is cancelled" for task in stubborn]
        return "; ".join(left)
