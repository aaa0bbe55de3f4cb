"""The one event loop of a benchmark process: runs coroutines on it, finds what they leave behind, shuts it down."""

from __future__ import annotations

import asyncio
import contextvars
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from asv_bench_async.errors import CancelledBenchmarkError, TasksLeftError
from asv_bench_async.functions import Function, where
from asv_bench_async.tasks import CALL, Task, context_of, describe, is_ending

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from types import TracebackType

T = TypeVar("T")

GRACE = 0.2
"""Seconds that tasks have to end by themselves when everything that they served is closed."""

PATIENCE = 2.0
"""Seconds that tasks have to end after they were cancelled."""


class Session:
    """Keeps one loop for setup, calls and teardown; a coroutine runs in a task of its own, in a context they share."""

    def __init__(self, loop: asyncio.AbstractEventLoop, function: Function) -> None:
        self.loop = loop
        self.quiet = False
        self._function = function
        self._context = contextvars.copy_context()

    def __enter__(self) -> None:
        asyncio.set_event_loop(self.loop)  # for plain setups that ask for the current loop

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
        """A task on the loop, which runs whenever `run` does."""
        if sys.version_info >= (3, 11):
            return self.loop.create_task(coroutine, context=self._context)
        return self._context.run(self.loop.create_task, coroutine)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine to its end."""
        task = self.start(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except asyncio.CancelledError as error:
            raise CancelledBenchmarkError(
                f"{where(self._function)} was cancelled from inside: asyncio.CancelledError left it. Catch it where "
                "the cancellation belongs"
            ) from error
        except BaseException:
            if not task.done():  # Ctrl-C, asv's timeout, loop.stop()
                print(f"asv_bench_async: interrupted {describe(task)}", file=sys.stderr)  # noqa: T201 - asv shows it
                self._cancel(task)
            raise

    def call(self, function: Function, args: tuple[Any, ...]) -> Any:
        """Call a plain function between runs, in the context that the coroutines share."""
        return self._context.run(function, *args)

    def run_call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a measured call; it has to end with `verify`."""
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
        """Raise when the call that ends here left tasks running; those just cancelled may end first."""
        left = [task for task in asyncio.all_tasks() if self._is_from_call(task)]
        ending = [task for task in left if is_ending(task)]
        if ending:
            await asyncio.wait(ending, timeout=PATIENCE)
        if alive := [describe(task) for task in left if not task.done()]:
            raise TasksLeftError(
                f"{where(function)} returned while tasks that it started were running: {'; '.join(alive)}. Await them "
                "in the benchmark; if they belong to something that stays open, open it in `setup` or `setup_process`"
            )

    def _is_from_call(self, task: Task) -> bool:
        """Whether the code under measurement created the task: it then has a copy of the shared context."""
        context = context_of(task)
        if context is None or context is self._context or task is asyncio.current_task():
            return False
        return context.get(CALL) is CALL.get()

    def _cancel(self, task: Task) -> None:
        task.cancel()
        self.loop.run_until_complete(asyncio.wait([task], timeout=GRACE))

    def _shut_down(self) -> str:
        """What was still running; all of it has been cancelled and awaited."""
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
            _, tasks = await asyncio.wait(tasks, timeout=GRACE)
        left = [describe(task) for task in tasks]
        for task in tasks:
            task.cancel()
        if tasks:
            _, stubborn = await asyncio.wait(tasks, timeout=PATIENCE)
            left += [f"{task.get_name()} does not even end when it is cancelled" for task in stubborn]
        return "; ".join(left)
