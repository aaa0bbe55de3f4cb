"""Adding up the numbers below a bound, several times: work that never waits."""

import asyncio
from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import call, event_loop, on_loop, run_on
from windtunnel_scenarios.support.pools import OpenPool, pool_variants
from windtunnel_scenarios.support.worker_functions import sum_below


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """How many sums, each of the numbers below ``bound``."""

    count: int
    bound: int

    @property
    def outcome(self) -> Outcome:
        """Each sum, from Gauss's formula."""
        return (self.bound * (self.bound - 1) // 2,) * self.count


SUMS = 3
"""How many sums; every pool has as many workers."""

YIELD_EVERY = 10_000
"""Additions between two yields where other scenarios use these sums; about half a millisecond."""


async def async_sum_below(bound: int) -> int:
    """Add up in a coroutine that awaits nothing."""
    result = 0
    for number in range(bound):
        result += number
    return result


async def yielding_sum_below(bound: int, every: int) -> int:
    """Add up in a coroutine that yields to the loop after ``every`` additions, which are many."""
    result = 0
    for start in range(0, bound, every):
        for number in range(start, min(start + every, bound)):
            result += number
        await asyncio.sleep(0)
    return result


async def checking_sum_below(bound: int, due: bytes) -> int:
    """Add up in a coroutine that looks up after each addition whether it is due to yield to the loop."""
    result = 0
    for number, is_due in zip(range(bound), due, strict=True):
        result += number
        if is_due:
            await asyncio.sleep(0)
    return result


def sync(load: Sums) -> Outcome:
    """Compute one sum after the other in a plain function."""
    return tuple(sum_below(load.bound) for _ in range(load.count))


async def async_sequential(load: Sums) -> Outcome:
    """Compute one sum after the other, each in a coroutine."""
    return tuple([await async_sum_below(load.bound) for _ in range(load.count)])


async def gathered(load: Sums) -> Outcome:
    """Pass all sums to ``asyncio.gather``, which cannot interleave coroutines that await nothing."""
    return tuple(await gather(*(async_sum_below(load.bound) for _ in range(load.count))))


def asyncio_run(load: Sums) -> Outcome:
    """Compute one sum after the other, each coroutine in an ``asyncio.run`` of its own."""
    return tuple(asyncio.run(async_sum_below(load.bound)) for _ in range(load.count))


async def to_thread(load: Sums) -> Outcome:
    """Compute all sums at once, each in the loop's thread pool with ``asyncio.to_thread``."""
    return tuple(await gather(*(asyncio.to_thread(sum_below, load.bound) for _ in range(load.count))))


@contextmanager
def pooled(load: Sums, open_pool: OpenPool) -> Iterator[Run]:
    """Compute all sums at once in a pool with a worker for each. Threads run in parallel only without a GIL."""
    with open_pool(load.count) as pool:

        def run() -> Outcome:
            return tuple(pool.map(sum_below, [load.bound] * load.count))

        yield run


CPU_SUM = Scenario(
    name="cpu_sum",
    loads=Loads(
        trial=Sums(count=SUMS, bound=1_000),
        quick=Sums(count=SUMS, bound=1_000_000),
        standard=Sums(count=SUMS, bound=2_000_000),
        article=Sums(count=SUMS, bound=10_000_000),
    ),
    variants=(
        Variant(name="sync", technique=call(sync)),
        Variant(name="sync_again", technique=call(sync)),  # the same again: how much computing is disturbed
        Variant(name="async_sequential", technique=on_loop(async_sequential)),
        Variant(name="gather", technique=on_loop(gathered)),
        Variant(name="asyncio_run", technique=call(asyncio_run)),
        Variant(name="to_thread", technique=on_loop(to_thread, threads=SUMS)),
        *pool_variants(pooled, "threads", "processes_fork", "processes_forkserver", "processes_spawn", "interpreters"),
    ),
)


def yielding(name: str, every: int | None) -> Variant[Sums]:
    """A variant whose sums yield after ``every`` additions; None: once, at the end. All have the same loop.

    When a sum yields is computed before the clock starts: the computing itself is cheaper for small ``every``.
    """

    @contextmanager
    def technique(load: Sums, /) -> Iterator[Run]:
        step = every or load.bound
        due = bytes(number % step == step - 1 for number in range(load.bound))

        async def job() -> Outcome:
            return tuple(await gather(*(checking_sum_below(load.bound, due) for _ in range(load.count))))

        with event_loop() as loop:
            yield run_on(loop, job)

    return Variant(name=name, technique=technique)


CPU_YIELD = Scenario(
    name="cpu_yield",
    loads=Loads(
        trial=Sums(count=SUMS, bound=1_000),
        quick=Sums(count=SUMS, bound=30_000),
        standard=Sums(count=SUMS, bound=100_000),
        article=Sums(count=SUMS, bound=1_000_000),
    ),
    variants=(
        yielding("never", every=None),
        *(yielding(f"every_{every}", every) for every in (10_000, 1_000, 100, 10, 1)),
    ),
)

SCENARIOS = (CPU_SUM, CPU_YIELD)
