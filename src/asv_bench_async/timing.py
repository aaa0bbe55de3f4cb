"""`time_*`: awaits inside the loop, between two clock readings, in asv's batches."""

from __future__ import annotations

import functools
import gc
import itertools
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from asv_bench_async.functions import Function, is_async, refuse_awaitable
from asv_bench_async.hooks import AsyncHooks

Batch = Callable[[int], float]
"""Returns the seconds of a number of calls."""

Clock = Callable[[], float]


class AsyncTime(AsyncHooks):
    """Mixin for asv's TimeBenchmark, which still decides the number of calls and samples.

    A plain function keeps asv's timer, except in its first batch, which checks what the last call returned.
    """

    _times_func = True

    def _get_timer(self, *param: Any) -> WatchedTimer:
        first, rest = self._batches(param)
        return WatchedTimer(first, rest or super()._get_timer(*param).timeit, self._watch)

    def _get_interleaved_timer(self, *param: Any) -> WatchedTimer:
        first, rest = self._batches(param)
        later = one_by_one(rest) if rest else super()._get_interleaved_timer(*param).timeit
        return WatchedTimer(one_by_one(first), later, self._watch)

    def _watch(self) -> None:
        assert self._scope is not None, "asv sets up before it runs"
        self._scope.unawaited.check(self.func)
        self._scope.unawaited.listen()

    def _batches(self, param: tuple[Any, ...]) -> tuple[Batch, Batch | None]:
        """Return how to time the first batch and the others; None when asv times them."""
        call = functools.partial(self.func, *param) if param else self.func
        if not is_async(self.func):
            return self._plain(call), None
        return self._checked(call), self._awaiting(call)

    def _plain(self, call: Function) -> Batch:
        def batch(number: int) -> float:
            with collector_off():
                self.redo_setup()
                elapsed, last = timed_with_last(call, number, self.timer)
            refuse_awaitable(last, self.func)
            return elapsed

        return batch

    def _checked(self, call: Function) -> Batch:
        def batch(number: int) -> float:
            elapsed, last = self._run(lambda: awaited_with_last(call, number, self.timer, self._verify))
            refuse_awaitable(last, self.func)
            return float(elapsed)

        return batch

    def _awaiting(self, call: Function) -> Batch:
        return lambda number: float(self._run(lambda: awaited(call, number, self.timer, self._verify)))

    def _run(self, measure: Callable[[], Any]) -> Any:
        assert self._scope is not None, "asv sets up before it runs"
        with collector_off():
            self.redo_setup()
            return self._scope.session().run_call(measure())

    async def _verify(self) -> None:
        assert self._scope is not None, "asv sets up before it runs"
        await self._scope.session().verify(self.func)


class WatchedTimer:
    """Replaces `timeit.Timer` for asv."""

    def __init__(self, first: Batch, rest: Batch, watch: Callable[[], None]) -> None:
        self._batch, self._rest, self._watch = first, rest, watch

    def timeit(self, number: int) -> float:
        batch, self._batch = self._batch, self._rest
        self._watch()
        elapsed = batch(number)
        self._watch()
        return elapsed


def one_by_one(batch: Batch) -> Batch:
    """Return batches of one call, for benchmarks whose setup asv repeats before each call."""
    return lambda number: sum(batch(1) for _ in range(number))


def timed_with_last(call: Function, number: int, clock: Clock) -> tuple[float, object]:
    calls = itertools.repeat(None, number - 1)
    start = clock()
    for _ in calls:
        call()
    last = call()
    return clock() - start, last


async def awaited(call: Function, number: int, clock: Clock, verify: Callable[[], Awaitable[None]]) -> float:
    calls = itertools.repeat(None, number)
    start = clock()
    for _ in calls:
        await call()
    elapsed = clock() - start
    await verify()
    return elapsed


async def awaited_with_last(
    call: Function, number: int, clock: Clock, verify: Callable[[], Awaitable[None]]
) -> tuple[float, object]:
    calls = itertools.repeat(None, number - 1)
    start = clock()
    for _ in calls:
        await call()
    last = await call()
    elapsed = clock() - start
    await verify()
    return elapsed, last


@contextmanager
def collector_off() -> Iterator[None]:
    """Disable garbage collection, as `timeit` does."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
