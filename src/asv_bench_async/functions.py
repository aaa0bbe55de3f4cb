"""The kind and the location of the function of a benchmark or hook."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from asv_bench_async.errors import NeverAwaitedError

Function = Callable[..., Any]


def undecorated(function: Function) -> Function:
    """Return the function inside asv's own decorators, which wrap `async def` in a plain function."""
    inner = getattr(function, "__func__", function)
    while getattr(inner, "__globals__", {}).get("__name__") == "asv_runner.benchmarks.mark" and hasattr(
        inner, "__wrapped__"
    ):
        inner = inner.__wrapped__
    return inner


def is_async(function: Function) -> bool:
    """Return whether a call returns a coroutine."""
    return inspect.iscoroutinefunction(undecorated(function))


def is_async_generator(function: Function) -> bool:
    return inspect.isasyncgenfunction(undecorated(function))


def where(function: Function) -> str:
    """Return `name (file:line)` of the function inside all decorators."""
    inner = inspect.unwrap(undecorated(function))
    code = getattr(inner, "__code__", None)
    name = getattr(inner, "__qualname__", None) or repr(inner)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code else name


def refuse_awaitable(result: object, function: Function) -> None:
    """Raise NeverAwaitedError when a call returned an awaitable instead of doing its work."""
    if not (inspect.isawaitable(result) or inspect.isasyncgen(result)):
        return
    kind = type(result).__name__
    if inspect.iscoroutine(result):
        result.close()  # otherwise its destruction is reported as a second error
    if is_async(function):
        remedy = "await it before returning"
    elif inspect.iscoroutinefunction(inspect.unwrap(function)):
        remedy = "a decorator hides the `async def`: make its wrapper `async def` too, and await in it"
    else:
        remedy = "write `async def` and await it there"
    raise NeverAwaitedError(
        f"{where(function)} returned a {kind} that is never awaited, so its work never ran: {remedy}"
    )
