"""Creates an event loop from the attribute `loop_factory`."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, cast

from asv_runner.benchmarks.mark import SkipNotImplemented

from asv_bench_async.errors import LoopFactoryError

NAMES = ("asyncio", "uvloop")


def new_loop(factory: object, params: tuple[Any, ...]) -> asyncio.AbstractEventLoop:
    """Return a new loop from a name, or from a callable that returns a loop or a name.

    The callable gets the benchmark's parameters if it accepts them, as `setup` does, so the loop can be a parameter.
    When the library of a name is not installed, the benchmark is skipped with the reason.
    """
    made = _call(factory, params) if callable(factory) else factory
    loop = _named(made) if isinstance(made, str) else made
    if inspect.iscoroutine(loop):
        loop.close()
    if not isinstance(loop, asyncio.AbstractEventLoop):
        raise LoopFactoryError(f"loop_factory gave {loop!r}: set it to {_choices()}")
    if loop.is_closed() or loop.is_running():
        raise LoopFactoryError(f"loop_factory gave {loop!r}: return a new loop each time")
    return loop


def find_problem(factory: object) -> str | None:
    """Return what is wrong with the attribute; None when it may be valid. No loop is created."""
    if callable(factory) or factory in NAMES:
        return None
    return f"loop_factory is {factory!r}: set it to {_choices()}"


def _choices() -> str:
    return " or ".join(map(repr, NAMES)) + ", or a callable that returns an event loop or one of these names"


def _named(name: str) -> asyncio.AbstractEventLoop:
    if name not in NAMES:
        raise LoopFactoryError(find_problem(name))
    if name == "asyncio":
        return asyncio.new_event_loop()
    try:
        import uvloop  # noqa: PLC0415 - optional; PyPy has none
    except ImportError as error:
        raise SkipNotImplemented(f"loop_factory 'uvloop': {error}") from error
    return cast("asyncio.AbstractEventLoop", uvloop.new_event_loop())


def _call(factory: Any, params: tuple[Any, ...]) -> object:
    # a plain function in a class body is a method by now: its own signature is tried last
    inner = getattr(factory, "__func__", factory)
    for function, args in ((factory, ()), (factory, params), (inner, ())):
        if _accepts(function, args):
            return function(*args)
    raise LoopFactoryError(f"loop_factory {factory!r} accepts neither no arguments nor the {len(params)} parameters")


def _accepts(function: Any, args: tuple[Any, ...]) -> bool:
    try:
        inspect.signature(function).bind(*args)
    except TypeError:
        return False
    except ValueError:  # a method that cannot take self, or a type in C without a signature
        return not inspect.ismethod(function)
    return True
