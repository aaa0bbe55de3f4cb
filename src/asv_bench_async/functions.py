"""What kind of function a benchmark or a hook is, and where it stands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from asv_bench_async.errors import NeverAwaitedError

Function = Callable[..., Any]


def undecorated(function: Function) -> Function:
    """The function below asv's own decorators: they wrap `async def` in a plain function that returns its coroutine."""
    bare = getattr(function, "__func__", function)
    while getattr(bare, "__globals__", {}).get("__name__") == "asv_runner.benchmarks.mark" and hasattr(
        bare, "__wrapped__"
    ):
        bare = bare.__wrapped__
    return bare


def is_async(function: Function) -> bool:
    """Whether calling it gives a coroutine that has to be awaited."""
    return inspect.iscoroutinefunction(undecorated(function))


def is_async_generator(function: Function) -> bool:
    return inspect.isasyncgenfunction(undecorated(function))


def where(function: Function) -> str:
    """`name (file:line)`, of the innermost function when it is decorated."""
    bare = inspect.unwrap(undecorated(function))
    code = getattr(bare, "__code__", None)
    name = getattr(bare, "__qualname__", None) or repr(bare)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code else name


def refuse_awaitable(result: object, function: Function) -> None:
    """Raise when a call left its work in something that nobody awaits."""
    if not (inspect.isawaitable(result) or inspect.isasyncgen(result)):
        return
    kind = type(result).__name__
    if inspect.iscoroutine(result):
        result.close()  # or its end would be reported as a second error
    if is_async(function):
        remedy = "await it before returning"
    elif inspect.iscoroutinefunction(inspect.unwrap(function)):
        remedy = "a decorator hides the `async def`: make its wrapper `async def` too, and await in it"
    else:
        remedy = "write `async def` and await it there"
    raise NeverAwaitedError(f"{where(function)} returned a {kind} that nobody awaits, so its work never ran: {remedy}")
