"""Reference benchmarks: fixed work that no commit changes, timed before every shard.

When all results of a run are slower, they show whether the machine was. They run in Windtunnel's own Python, about
0.2 s each. A value is the mean of a batch, so the resolution of the clock does not matter.
"""

import asyncio
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from windtunnel.model.run_format import ReferenceTime

REPEATS = 15
BLOCK = bytes(1 << 20)
"""1 MiB: with its copy, larger than the first two levels of cache."""


def reference_times() -> tuple[ReferenceTime, ...]:
    """Time each reference; the disk is that of the temporary folder."""
    with _loop_wakeup() as wakeup, _disk() as disk:
        works: tuple[tuple[str, Callable[[], object], int], ...] = (
            ("interpreter", _interpreter, 20),
            ("memory", lambda: bytearray(BLOCK), 20),
            ("syscall", os.getppid, 2000),
            ("loop_wakeup", wakeup, 100),
            ("disk", disk, 4),
        )
        return tuple(_timed(name, work, number) for name, work, number in works)


def _timed(name: str, work: Callable[[], object], number: int) -> ReferenceTime:
    work()
    values = []
    for _ in range(REPEATS):
        started = perf_counter()
        for _ in range(number):
            work()
        values.append((perf_counter() - started) / number)
    return ReferenceTime(name=name, median=statistics.median(values), minimum=min(values), repeats=REPEATS)


def _interpreter() -> int:
    """Do integer arithmetic, dict access and calls: what interpreted code mostly does."""
    counts: dict[int, int] = {}
    for value in range(5_000):
        key = value * 7 % 97
        counts[key] = counts.get(key, 0) + 1
    return len(counts)


@contextmanager
def _loop_wakeup() -> Iterator[Callable[[], object]]:
    """Yield one iteration of an event loop: schedule, poll, wake."""
    with asyncio.Runner() as runner:
        yield lambda: runner.run(asyncio.sleep(0))


@contextmanager
def _disk() -> Iterator[Callable[[], object]]:
    """Yield a durable write of 64 KiB."""
    with tempfile.TemporaryFile() as file:

        def write() -> None:
            file.seek(0)
            file.write(BLOCK[: 1 << 16])
            file.flush()
            os.fsync(file.fileno())

        yield write
