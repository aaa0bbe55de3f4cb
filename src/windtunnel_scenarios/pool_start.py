"""Opening a pool, giving each worker a job, and closing it, in a new process: what a program's first pool costs.

The pools are those of the standard library and of joblib as a program opens them, but each process of the standard
library's also starts a thread that watches its parent. A pool that other scenarios use has workers that wait for each
other before the clock starts. Spawned processes and those of a fork server need helpers of multiprocessing; the first
pool starts them.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing import get_context

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.parent_watch import watch_parent
from windtunnel_scenarios.support.pools import POOL_REQUIRES, StartMethod, joblib_workers, keep_temporary_folder
from windtunnel_scenarios.support.subprocess_run import Measured, measured_subprocess

WORKERS = 3
"""As many as the pools of ``cpu_sum`` have, so that the cost can be compared with the time that a pool saves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """How many."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many jobs were done, one for each worker."""
        return (self.count,)


def process_pool(workers: int, start: StartMethod) -> Executor:
    """Create a pool of processes that end with this one, also after a ``kill -9``."""
    return ProcessPoolExecutor(max_workers=workers, mp_context=get_context(start), initializer=watch_parent)


def interpreter_pool(workers: int) -> Executor:
    """Create a pool of interpreters."""
    pool: Executor = import_module("concurrent.futures.interpreter").InterpreterPoolExecutor(max_workers=workers)
    return pool


POOLS: dict[str, Callable[[int], Executor]] = {
    "threads": ThreadPoolExecutor,
    "processes_fork": partial(process_pool, start=StartMethod.FORK),
    "processes_forkserver": partial(process_pool, start=StartMethod.FORKSERVER),
    "processes_spawn": partial(process_pool, start=StartMethod.SPAWN),
    "interpreters": interpreter_pool,
}


def use_pool(kind: str, workers: int) -> int:
    """Open a pool, give it a job for each worker, and close it; return the sum of what the jobs returned."""
    with POOLS[kind](workers) as pool:
        return sum(pool.map(int, [1] * workers))


def use_joblib(workers: int) -> int:
    """Do the same with joblib's processes, which are new interpreters."""
    from joblib import delayed

    with joblib_workers(workers) as parallel:
        return sum(parallel(delayed(int)(1) for _ in range(workers)))


@contextmanager
def first_pool(kind: str, workers: str) -> Iterator[Measured]:
    """In the new process: import what the pool needs; then the pool is measured."""
    if kind == "processes_forkserver":
        keep_temporary_folder()
    if kind == "joblib":
        import joblib  # noqa: F401 - outside the clock
    use = use_joblib if kind == "joblib" else partial(use_pool, kind)

    yield lambda: ([use(int(workers))], 0)


def technique(load: Workers, kind: str) -> AbstractContextManager[Run]:
    """Open a pool of a kind in a new process for each run."""
    return measured_subprocess(first_pool, kind, load.count)


def variant(kind: str, *requires: str) -> Variant[Workers]:
    """A variant with a pool of a kind."""
    return Variant(name=kind, technique=partial(technique, kind=kind), requires=requires)


POOL_START = Scenario(
    name="pool_start",
    skip_warmup=tuple(LoadName),
    loads=Loads(
        trial=Workers(count=2),
        quick=Workers(count=WORKERS),
        standard=Workers(count=WORKERS),
        article=Workers(count=WORKERS),
    ),
    variants=(
        variant("threads"),
        variant("processes_fork"),
        variant("processes_forkserver"),
        variant("processes_spawn"),
        variant("joblib", "joblib"),
        variant("interpreters", *POOL_REQUIRES["interpreters"]),
    ),
)

SCENARIOS = (POOL_START,)
