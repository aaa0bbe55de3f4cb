"""From the attribute `loop_factory` to an event loop."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, cast

from asv_runner.benchmarks.mark import SkipNotImplemented

from asv_bench_async.errors import LoopFactoryError

NAMES = ("asyncio", "uvloop")


def new_loop(factory: object, params: tuple[Any, ...]) -> asyncio.AbstractEventLoop:
    """A new loop from a name, or from a callable that returns a loop or a name.

    A callable is called with the benchmark's parameters when it takes them, as `setup` is, so that the loop can be a
    parameter. A name whose library is not installed skips the benchmark, with the reason.
    """
    made = _call(factory, params) if callable(factory) else factory
    loop = _named(made) if isinstance(made, str) else made
    if inspect.iscoroutine(loop):
        loop.close()
    if not isinstance(loop, asyncio.AbstractEventLoop):
        raise LoopFactoryError(f"loop_factory gave {loop!r}: let it be {_choices()}")
    if loop.is_closed() or loop.is_running():
        raise LoopFactoryError(f"loop_factory gave {loop!r}: let it make a new loop each time")
    return loop


def complaint(factory: object) -> str | None:
    """What is wrong with the attribute itself, known without making a loop."""
    if callable(factory) or factory in NAMES:
        return None
    return f"loop_factory is {factory!r}: let it be {_choices()}"


def _choices() -> str:
    return " or ".join(map(repr, NAMES)) + ", or a callable that returns an event loop or one of these names"


def _named(name: str) -> asyncio.AbstractEventLoop:
    if name not in NAMES:
        raise LoopFactoryError(complaint(name))
    if name == "asyncio":
        return asyncio.new_event_loop()
    try:
        import uvloop  # noqa: PLC0415 - optional, and there is none for PyPy
    except ImportError as error:
        raise SkipNotImplemented(f"loop_factory 'uvloop': {error}") from error
    return cast("asyncio.AbstractEventLoop", uvloop.new_event_loop())


def _call(factory: Any, params: tuple[Any, ...]) -> object:
    # a plain function in a class body has become a method: its own signature is tried last
    bare = getattr(factory, "__func__", factory)
    for function, args in ((factory, ()), (factory, params), (bare, ())):
        if _takes(function, args):
            return function(*args)
    raise LoopFactoryError(f"loop_factory {factory!r} takes neither no arguments nor the {len(params)} parameters")


def _takes(function: Any, args: tuple[Any, ...]) -> bool:
    try:
        inspect.signature(function).bind(*args)
    except TypeError:
        return False
    except ValueError:  # a method that cannot take self, or a type in C that tells no signature
        return not inspect.ismethod(function)
    return True
