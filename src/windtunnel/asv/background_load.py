"""How busy others keep the machine while a process of a case runs: what is left once our own processes are taken off.

Asked of /proc/stat, hence Linux only. Time that a hypervisor gave to other machines (steal) is others' as well; that of
interrupts is nobody's, for the network's work on 127.0.0.1 is done in them. What the kernel writes back late counts as
others', whoever wrote it.
"""

import contextlib
import ctypes
import os
import sys
from dataclasses import dataclass, field
from functools import cache
from time import monotonic

import psutil

RESOLUTION = 0.03
"""Seconds of processor time that are put down to the clock: /proc/stat counts ticks of 10 ms on each processor."""

SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2), Linux 3.4 and newer."""


@dataclass(slots=True)
class BackgroundLoad:
    """A look at the beginning; *processors* compares it with a second."""

    _since: float = field(default_factory=monotonic)
    _before: float | None = None

    def __post_init__(self) -> None:
        """Look."""
        self._before = _by_others()

    def processors(self) -> float | None:
        """Return how many processors others have kept busy since; None where the system does not tell."""
        after, seconds = _by_others(), monotonic() - self._since
        _bury()
        if self._before is None or after is None or seconds <= 0:
            return None
        return round(max(after - self._before - RESOLUTION, 0.0) / seconds, 3)


def _by_others() -> float | None:
    """Return the seconds that processors have worked since the start of the machine, but not for this process tree."""
    if not sys.platform.startswith("linux"):
        return None
    _keep_orphans()
    told = psutil.cpu_times()
    return float(told.user + told.nice + told.system + getattr(told, "steal", 0.0)) - _by_us()


def _by_us() -> float:
    """Return what this process and all it started have used, those included that have ended and were waited for."""
    us = psutil.Process()
    used = 0.0
    for process in (us, *us.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            used += times.user + times.system + times.children_user + times.children_system
    return used


@cache
def _keep_orphans() -> None:
    """Let orphans of what we start become our children: the work of a fork server's processes is found with them."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0)


def _bury() -> None:
    """Wait for the orphans that have ended, which nobody else does."""
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess, ChildProcessError):
            if child.status() == psutil.STATUS_ZOMBIE:
                os.waitpid(child.pid, os.WNOHANG)
