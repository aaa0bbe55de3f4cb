"""Runs in a new process each, so that what came before leaves no trace in its memory.

``MeasuredSubprocess`` is the side that starts the process and watches its memory. ``main`` is the new process's side:
it opens a job, prints its memory, does the job, and prints what the job cost.
"""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from select import select
from threading import Thread
from time import perf_counter
from typing import Any, TypeAlias

from windtunnel_scenarios.model import Outcome
from windtunnel_scenarios.support.procfs import check_memory_readable, peak_rss, reset_peak_rss, rss

SAMPLING_INTERVAL = 0.002
"""Seconds between two readings of the process's memory."""

PROFILE_POINTS = 20
"""Readings in a memory profile, at even distances from the beginning of the job to its end."""

Measured: TypeAlias = Callable[[], tuple[Sequence[object], int]]
"""Does a job once; returns its outcome, and by how many bytes memory grew for it."""

OpenJob: TypeAlias = Callable[..., AbstractContextManager[Measured]]
"""In the new process: opens clients and warms them up, yields what is measured, and closes everything."""


class MeasuredSubprocess:
    """A run that does a job in a new process and records what it cost.

    It records ``seconds`` (without the start and the end of the process), ``peak_memory`` (bytes that were resident at
    the peak of the job), ``peak_growth`` (how many more these are than before the job) and ``memory_profile`` (the
    growth over time).
    """

    def __init__(self, open_job: str, *arguments: str) -> None:
        """``open_job`` is the ``module:function`` of an ``OpenJob``."""
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._command = (sys.executable, "-W", "ignore", "-m", __name__, open_job, *arguments)

    def __call__(self) -> Outcome:
        with subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        ) as process:
            assert process.stdout is not None
            line, readings = process.stdout.readline(), list[int]()
            while line.strip().isdigit() and not select([process.stdout], [], [], SAMPLING_INTERVAL)[0]:
                readings.append(rss(process.pid))
            text = process.stdout.read()
        if process.returncode:
            raise RuntimeError(f"{self._command} failed: {(line + text).decode(errors='replace')}")
        before, result = int(line), json.loads(text)
        self.recorded = {
            "seconds": (result["seconds"],),
            "peak_memory": (float(before + result["growth"]),),
            "peak_growth": (float(result["growth"]),),
            "memory_profile": tuple(
                float(reading - before) for reading in select_evenly(readings or [before + result["growth"]])
            ),
        }
        return tuple(result["outcome"])


@contextmanager
def measured_subprocess(open_job: OpenJob, *arguments: object) -> Iterator[MeasuredSubprocess]:
    """Yield a run that does a job in a new process; raises UnavailableError where memory cannot be read."""
    check_memory_readable()
    yield MeasuredSubprocess(f"{open_job.__module__}:{open_job.__qualname__}", *map(str, arguments))


def select_evenly(readings: Sequence[int]) -> Iterator[int]:
    """Yield PROFILE_POINTS of the readings, the first and the last included."""
    for point in range(PROFILE_POINTS):
        yield readings[point * (len(readings) - 1) // (PROFILE_POINTS - 1)]


def measure_peak(job: Callable[[], Iterable[Any]]) -> tuple[list[Any], int]:
    """In the new process: do a job; return its outcome and the growth of this process at its peak, in bytes."""
    before = rss(os.getpid())
    return list(job()), max(peak_rss() - before, 0)


def main(open_job: str, *arguments: str) -> None:
    """In the new process: do the job once and print what it cost."""
    Thread(target=end_with_stdin, daemon=True).start()
    module, _, function = open_job.partition(":")
    with getattr(import_module(module), function)(*arguments) as measured:
        gc.collect()
        reset_peak_rss()
        print_line(str(rss(os.getpid())))
        start = perf_counter()
        outcome, growth = measured()
        print_line(json.dumps({"seconds": perf_counter() - start, "growth": growth, "outcome": outcome}))


def print_line(line: str) -> None:
    """Print a line for the process that watches."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def end_with_stdin() -> None:
    """Wait for the end of standard input, which is also the parent's end, and end this process."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
