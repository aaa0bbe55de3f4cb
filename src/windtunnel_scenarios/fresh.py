"""A job in a new process each time, watched from outside: what came before leaves no trace in its memory."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from select import select

from windtunnel_scenarios.model import Outcome
from windtunnel_scenarios.support.procfs import check_readable, resident

LOOK = 0.002
"""Seconds between two looks at the process's memory."""

POINTS = 20
"""Of a profile: as many looks, at even distances from the beginning of the job to its end."""


class Watched:
    """A run that starts a module of ``fresh_process`` with its arguments, and keeps what became of it."""

    def __init__(self, *arguments: str) -> None:
        self.seconds: tuple[float, ...] = ()
        """How long the job took, without the process's start and end."""
        self.growth: tuple[float, ...] = ()
        """Bytes that the job needed at the most, over what was there before it."""
        self.profile: tuple[float, ...] = ()
        """The same over time."""
        self._command = (
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "windtunnel_scenarios.support.subprocess_run",
            *arguments,
        )

    def __call__(self) -> Outcome:
        with subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        ) as process:
            assert process.stdout is not None
            line, looks = process.stdout.readline(), list[int]()
            while line.strip().isdigit() and not select([process.stdout], [], [], LOOK)[0]:
                looks.append(resident(process.pid))
            text = process.stdout.read()
        if process.returncode:
            raise RuntimeError(f"{self._command} failed: {(line + text).decode(errors='replace')}")
        before, told = int(line), json.loads(text)
        self.seconds, self.growth = (told["seconds"],), (float(told["growth"]),)
        self.profile = tuple(float(look - before) for look in evenly(looks or [before + told["growth"]]))
        return tuple(told["outcome"])


def evenly(looks: Sequence[int]) -> Iterator[int]:
    """So many of them as a profile has, the first and the last included."""
    for point in range(POINTS):
        yield looks[point * (len(looks) - 1) // (POINTS - 1)]


@contextmanager
def watched(*arguments: str) -> Iterator[Watched]:
    """A watched run, where memory can be read."""
    check_readable()
    yield Watched(*arguments)
