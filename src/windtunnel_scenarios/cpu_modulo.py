"""Fifteen jobs that sum random remainders: arithmetic and calls into C, without waiting."""

import random
import sys
from asyncio import create_task, gather
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from random import Random

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.cpu_affinity import single_processor
from windtunnel_scenarios.support.loops import call, on_loop
from windtunnel_scenarios.support.pools import OpenPool, pool_variants, warm_threads
from windtunnel_scenarios.support.worker_functions import sum_remainders, sum_remainders_shared

DIVISORS = tuple(range(1, 16))
"""One for each job. It also seeds the job's generator, whose numbers are the same in every Python."""

WORKERS = 16
"""Of every pool, as published: the author's machine ran 16 threads on 8 cores."""


SHARED_TOLERANCE = 0.009
"""Share by which the total may differ where jobs draw from one generator: in ``trial``, seven standard deviations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remainders:
    """How many iterations a job has, and what all jobs together yield."""

    iterations: int
    total: int
    """With a generator for each job. With a shared one the total differs by chance."""

    @property
    def outcome(self) -> Outcome:
        """The sum over all jobs."""
        return (self.total,)


async def async_sum_remainders(divisor: int, iterations: int) -> int:
    """Do what ``sum_remainders`` does, in a coroutine that awaits nothing."""
    draw = Random(divisor).random
    result = 0
    for number in range(iterations):
        if draw() < 0.99:
            result += number % divisor
    return result


async def async_sum_remainders_shared(divisor: int, iterations: int) -> int:
    """Do what ``sum_remainders_shared`` does, in a coroutine that awaits nothing."""
    result = 0
    for number in range(iterations):
        if random.random() < 0.99:
            result += number % divisor
    return result


def sync(load: Remainders) -> Outcome:
    """Do one job after the other in a plain function."""
    return (sum([sum_remainders(divisor, load.iterations) for divisor in DIVISORS]),)


async def gathered(load: Remainders) -> Outcome:
    """Pass all jobs to ``asyncio.gather`` as coroutines."""
    return (sum(await gather(*(async_sum_remainders(divisor, load.iterations) for divisor in DIVISORS))),)


async def create_tasks(load: Remainders) -> Outcome:
    """Create a task for each job with ``asyncio.create_task``, then await one by one."""
    tasks = [create_task(async_sum_remainders(divisor, load.iterations)) for divisor in DIVISORS]
    return (sum([await task for task in tasks]),)


def sync_shared(load: Remainders) -> Outcome:
    """Do one job after the other in a plain function, with one generator for all."""
    return shared_outcome(load, sum([sum_remainders_shared(divisor, load.iterations) for divisor in DIVISORS]))


async def gathered_shared(load: Remainders) -> Outcome:
    """Pass all jobs to ``asyncio.gather`` as coroutines, with one generator for all."""
    sums = await gather(*(async_sum_remainders_shared(divisor, load.iterations) for divisor in DIVISORS))
    return shared_outcome(load, sum(sums))


def shared_outcome(load: Remainders, total: int) -> Outcome:
    """Return the load's total in place of one that differs from it by chance."""
    return (load.total if abs(total - load.total) <= SHARED_TOLERANCE * load.total else total,)


@contextmanager
def pooled(
    load: Remainders,
    open_pool: OpenPool,
    workers: int = WORKERS,
    job: Callable[[int, int], int] = sum_remainders,
) -> Iterator[Run]:
    """Do all jobs at once in a pool. Threads run in parallel only without a GIL."""
    with open_pool(workers) as pool:

        def run() -> Outcome:
            total = sum(pool.map(job, DIVISORS, repeat(load.iterations)))
            return shared_outcome(load, total) if job is sum_remainders_shared else (total,)

        yield run


@contextmanager
def switch_interval(seconds: float) -> Iterator[None]:
    """Set how long a thread keeps the GIL while others wait for it; the default is 5 ms."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_threads(
    name: str, workers: int = WORKERS, *, seconds: float | None = None, one_cpu: bool = False
) -> Variant[Remainders]:
    """A variant with so many threads, with another switch interval (in seconds), or with all of them on one CPU."""

    @contextmanager
    def technique(load: Remainders, /) -> Iterator[Run]:
        interval: AbstractContextManager[None] = nullcontext() if seconds is None else switch_interval(seconds)
        affinity: AbstractContextManager[None] = single_processor() if one_cpu else nullcontext()
        with interval, affinity, pooled(load, warm_threads, workers) as run:
            yield run

    return Variant(name=name, technique=technique)


def loads(quick: Remainders) -> Loads[Remainders]:
    """Return the loads, which differ in ``quick`` only."""
    return Loads(
        trial=Remainders(iterations=1_000, total=51_870),
        quick=quick,
        standard=Remainders(iterations=500_000, total=25_986_679),
        article=Remainders(iterations=10_000_000, total=519_743_308),
    )


CPU_MODULO = Scenario(
    name="cpu_modulo",
    skip_warmup=(LoadName.ARTICLE,),
    loads=loads(quick=Remainders(iterations=100_000, total=5_197_325)),
    variants=(
        Variant(name="sync", technique=call(sync)),
        Variant(name="gather", technique=on_loop(gathered)),
        Variant(name="create_task", technique=on_loop(create_tasks)),
        *pool_variants(pooled, "threads", "processes_fork", "processes_forkserver", "processes_spawn", "interpreters"),
        Variant(name="sync_shared", technique=call(sync_shared)),
        Variant(name="gather_shared", technique=on_loop(gathered_shared)),
        Variant(name="threads_shared", technique=partial(pooled, open_pool=warm_threads, job=sum_remainders_shared)),
    ),
)

CPU_MODULO_THREADS = Scenario(
    name="cpu_modulo_threads",
    skip_warmup=(LoadName.ARTICLE,),
    loads=loads(quick=Remainders(iterations=20_000, total=1_039_196)),
    variants=(
        *(in_threads(f"threads_{workers}", workers) for workers in (1, 2, 4, 16)),
        in_threads("threads_16_switch_100us", seconds=0.0001),
        in_threads("threads_16_switch_100ms", seconds=0.1),
        in_threads("threads_16_one_cpu", one_cpu=True),
    ),
)

SCENARIOS = (CPU_MODULO, CPU_MODULO_THREADS)
