"""Whose a task is, and what it is doing."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

CALL: contextvars.ContextVar[object | None] = contextvars.ContextVar("asv_bench_async_call", default=None)
"""The call that is being measured. A task inherits it from whoever creates it, at no cost to what is timed; a server
that was started before the call has handlers that do not carry it."""

OWN_FOLDER = str(Path(__file__).parent)

Task = asyncio.Task[Any]


def context_of(task: Task) -> contextvars.Context | None:
    """The context that the task runs in. There is no public way to it before Python 3.12."""
    if sys.version_info >= (3, 12):
        return task.get_context()
    shown = [getattr(task, "_context", None)]  # of tasks written in Python: PyPy
    shown += gc.get_referents(task)  # those in C show theirs to the garbage collector only
    return next((each for each in shown if isinstance(each, contextvars.Context)), None)


def is_ending(task: Task) -> bool:
    """Whether the task was cancelled (Python 3.9 and 3.10 do not tell) or is the loop's, to close a lost generator."""
    return bool(getattr(task, "cancelling", int)()) or type(task.get_coro()).__name__ == "async_generator_athrow"


def describe(task: Task) -> str:
    """`name: coroutine at file:line`: the place in the user's code where the task waits."""
    frames = [f"{name} at {file}:{line}" for name, file, line in _frames(task.get_coro()) if not _is_own(file)]
    return f"{task.get_name()}: {frames[0] if frames else repr(task.get_coro())}"


def _is_own(file: str) -> bool:
    return file.startswith(OWN_FOLDER)


def _frames(coroutine: Any) -> Iterator[tuple[str, str, int]]:
    """The coroutine's frame and those it awaits, from outside in."""
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is not None:
            yield coroutine.__qualname__, frame.f_code.co_filename, frame.f_lineno
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
