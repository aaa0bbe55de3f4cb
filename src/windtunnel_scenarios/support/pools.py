"""Process pools whose processes all run before the clock starts, and end with the process that started them."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.synchronize import Semaphore
from multiprocessing.util import Finalize, get_temp_dir
from pathlib import Path
from threading import Thread

from windtunnel_scenarios.support.folders import keeper

PATIENCE = 60.0
"""Seconds after which processes that did not start are an error, not a hang."""


class Start(StrEnum):
    """How multiprocessing starts a process; the default changed from fork to forkserver in Python 3.14."""

    FORK = "fork"
    FORKSERVER = "forkserver"
    SPAWN = "spawn"


@contextmanager
def warm_processes(workers: int, start: Start) -> Iterator[ProcessPoolExecutor]:
    """A pool with all its processes started; a pool left alone starts them with the first jobs, inside the clock."""
    if start is Start.FORKSERVER:
        keep_temporary_folder()
    context = get_context(start)
    arrived, go = context.Semaphore(0), context.Semaphore(0)
    with ProcessPoolExecutor(
        max_workers=workers, mp_context=context, initializer=begin, initargs=(arrived, go)
    ) as pool:
        first = [pool.submit(os.getpid) for _ in range(workers)]
        for _ in first:
            if not arrived.acquire(timeout=PATIENCE):
                raise TimeoutError(f"a pool of {workers} processes ({start}) did not start within {PATIENCE:.0f} s")
        for _ in first:
            go.release()
        for future in first:
            future.result()
        yield pool


@cache
def keep_temporary_folder() -> None:
    """See to the folder of the fork server's socket, which multiprocessing leaves behind when it is killed."""
    stack = ExitStack()
    stack.enter_context(keeper(Path(get_temp_dir())))
    Finalize(None, stack.close, exitpriority=-200)  # after multiprocessing itself removed it, at -100


def begin(arrived: Semaphore, go: Semaphore) -> None:
    """In a new process: wait until all are there, and end when the parent does, which a pool's processes do not."""
    Thread(target=end_with_parent, daemon=True).start()
    arrived.release()
    go.acquire(timeout=PATIENCE)


def end_with_parent() -> None:
    """Block until the parent is gone, also by ``kill -9``, and end this process."""
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
