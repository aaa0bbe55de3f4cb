"""Pools of threads, processes and interpreters whose workers all run before the clock starts."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from enum import StrEnum
from functools import cache, partial
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.util import Finalize, get_temp_dir
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from windtunnel_scenarios.model import Load, Run, Variant
from windtunnel_scenarios.support.folders import remove_at_end
from windtunnel_scenarios.support.open_files import is_readable
from windtunnel_scenarios.support.worker_functions import START_TIMEOUT, begin_process, report_and_wait

if TYPE_CHECKING:
    from joblib import Parallel

L = TypeVar("L", bound=Load)
L_contra = TypeVar("L_contra", bound=Load, contravariant=True)

OpenPool: TypeAlias = Callable[[int], AbstractContextManager[Executor]]
"""Opens a pool with so many workers."""


class PooledTechnique(Protocol[L_contra]):
    """A technique that works with any kind of pool."""

    def __call__(self, load: L_contra, /, *, open_pool: OpenPool) -> AbstractContextManager[Run]: ...


class StartMethod(StrEnum):
    """How multiprocessing starts a process; the default changed from fork to forkserver in Python 3.14."""

    FORK = "fork"
    FORKSERVER = "forkserver"
    SPAWN = "spawn"


@contextmanager
def warm_threads(workers: int) -> Iterator[ThreadPoolExecutor]:
    """Open a pool with all its threads started; an executor starts them one by one, inside the timed region."""
    with ThreadPoolExecutor(max_workers=workers) as pool:
        barrier = Barrier(workers + 1, timeout=START_TIMEOUT)
        for _ in range(workers):
            pool.submit(barrier.wait)
        barrier.wait()
        yield pool


@contextmanager
def warm_processes(workers: int, start: StartMethod = StartMethod.SPAWN) -> Iterator[ProcessPoolExecutor]:
    """Open a pool with all its processes started; an executor starts them with the first jobs, in the timed region."""
    if start is StartMethod.FORKSERVER:
        keep_temporary_folder()
    context = get_context(start)
    arrived, go = context.Semaphore(0), context.Semaphore(0)
    with ProcessPoolExecutor(
        max_workers=workers, mp_context=context, initializer=begin_process, initargs=(arrived, go)
    ) as pool:
        first = [pool.submit(os.getpid) for _ in range(workers)]
        for _ in first:
            if not arrived.acquire(timeout=START_TIMEOUT):
                raise TimeoutError(
                    f"a pool of {workers} processes ({start}) did not start within {START_TIMEOUT:.0f} s"
                )
        for _ in first:
            go.release()
        for future in first:
            future.result()
        yield pool


@contextmanager
def warm_interpreters(workers: int) -> Iterator[Executor]:
    """Open a pool with all its interpreters started; an executor starts them with the first jobs."""
    executor = import_module("concurrent.futures.interpreter").InterpreterPoolExecutor
    with pipe() as (arrivals, arrived), pipe() as (going, go), executor(max_workers=workers) as pool:
        first = [pool.submit(report_and_wait, arrived, going) for _ in range(workers)]
        try:
            for _ in first:
                if not is_readable(arrivals, START_TIMEOUT):
                    raise TimeoutError(f"a pool of {workers} interpreters did not start within {START_TIMEOUT:.0f} s")
                os.read(arrivals, 1)
        finally:
            os.write(go, b"." * workers)
        for future in first:
            future.result()
        yield pool


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """Open a pipe and yield its two ends."""
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


@contextmanager
def joblib_workers(workers: int, initializer: Callable[[], None] | None = None) -> "Iterator[Parallel]":
    """Open joblib's pool of processes (loky), which keeps its workers from one list of calls to the next.

    joblib starts no process for a single worker, so ``workers`` is at least two. They start with the first calls, and
    call *initializer*. Without `watch_process` there, they stay for minutes where this process is killed.
    """
    from joblib import Parallel
    from joblib.externals.loky import get_reusable_executor

    try:
        with Parallel(n_jobs=workers, backend="loky", initializer=initializer) as parallel:
            yield parallel
    finally:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)


OPENERS: dict[str, OpenPool] = {
    "threads": warm_threads,
    "processes_fork": partial(warm_processes, start=StartMethod.FORK),
    "processes_forkserver": partial(warm_processes, start=StartMethod.FORKSERVER),
    "processes_spawn": partial(warm_processes, start=StartMethod.SPAWN),
    "interpreters": warm_interpreters,
}
"""Each kind of pool, by the name of the variant that uses it."""

POOL_REQUIRES = {"interpreters": ("concurrent.futures.interpreter",)}


def pool_variants(technique: PooledTechnique[L], *names: str) -> tuple[Variant[L], ...]:
    """Return a variant of the technique for each kind of pool named."""
    return tuple(
        Variant(
            name=name,
            technique=partial(technique, open_pool=OPENERS[name]),
            requires=POOL_REQUIRES.get(name, ()),
        )
        for name in names
    )


@cache
def keep_temporary_folder() -> None:
    """Remove the folder of the fork server's socket at the end; multiprocessing leaves it behind when it is killed."""
    stack = ExitStack()
    stack.enter_context(remove_at_end(Path(get_temp_dir())))
    Finalize(None, stack.close, exitpriority=-200)  # after multiprocessing itself removed it, at -100
