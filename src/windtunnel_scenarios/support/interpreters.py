"""Interpreter pools (Python 3.14 and newer) whose interpreters all run before the clock starts."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from select import select

PATIENCE = 60.0
"""Seconds after which interpreters that did not start are an error, not a hang."""


@contextmanager
def warm_interpreters(workers: int) -> Iterator[Executor]:
    """A pool with all its interpreters started; a pool left alone starts them with the first jobs, inside the clock."""
    executor = import_module("concurrent.futures.interpreter").InterpreterPoolExecutor
    with pipe() as (arrivals, arrived), pipe() as (going, go), executor(max_workers=workers) as pool:
        first = [pool.submit(begin, arrived, going) for _ in range(workers)]
        try:
            for _ in first:
                if not select([arrivals], [], [], PATIENCE)[0]:
                    raise TimeoutError(f"a pool of {workers} interpreters did not start within {PATIENCE:.0f} s")
                os.read(arrivals, 1)
        finally:
            os.write(go, b"." * workers)
        for future in first:
            future.result()
        yield pool


def begin(arrived: int, going: int) -> None:
    """In a new interpreter: wait until all are there. Interpreters share descriptors, and no locks."""
    os.write(arrived, b".")
    os.read(going, 1)


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe's two ends."""
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)
