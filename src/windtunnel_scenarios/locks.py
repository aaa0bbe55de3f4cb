"""Acquiring and releasing a lock that nothing else uses."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Any

from windtunnel_scenarios.model import Loads, Outcome, Scenario, Variant
from windtunnel_scenarios.support.loops import call, on_loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Acquisitions:
    """How often."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How often the lock was acquired."""
        return (self.count,)


def threading_variant(name: str, create_lock: Callable[[], AbstractContextManager[Any]]) -> Variant[Acquisitions]:
    """A variant with a lock of ``threading``."""

    def acquire(load: Acquisitions) -> Outcome:
        lock, acquired = create_lock(), 0
        for _ in range(load.count):
            with lock:
                acquired += 1
        return (acquired,)

    return Variant(name=name, technique=call(acquire))


def asyncio_variant(name: str, create_lock: Callable[[], AbstractAsyncContextManager[Any]]) -> Variant[Acquisitions]:
    """A variant with a lock of ``asyncio``."""

    async def acquire(load: Acquisitions) -> Outcome:
        lock, acquired = create_lock(), 0
        for _ in range(load.count):
            async with lock:
                acquired += 1
        return (acquired,)

    return Variant(name=name, technique=on_loop(acquire))


LOCKS = Scenario(
    name="locks",
    loads=Loads(
        trial=Acquisitions(count=10),
        quick=Acquisitions(count=10_000),
        standard=Acquisitions(count=100_000),
        article=Acquisitions(count=1_000_000),
    ),
    variants=(
        asyncio_variant("asyncio_lock", asyncio.Lock),
        asyncio_variant("asyncio_semaphore", asyncio.Semaphore),
        threading_variant("threading_lock", threading.Lock),
        threading_variant("threading_semaphore", threading.Semaphore),
    ),
)

SCENARIOS = (LOCKS,)
