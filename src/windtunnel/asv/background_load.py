"""How many processors other processes keep busy while a case runs.

The total of /proc/stat minus the time of our own processes, hence Linux only. Time that a hypervisor gave to other
machines (steal) counts as background load. Time in interrupts does not: network traffic on 127.0.0.1 causes it. Delayed
disk writes of the kernel count as background load, whichever process caused them.
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
"""Seconds of processor time that are ignored: /proc/stat counts ticks of 10 ms on each processor."""

SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2), Linux 3.4 and newer."""


@dataclass(slots=True)
class BackgroundLoad:
    """Measures the background load from its creation to each call of ``processors``."""

    _since: float = field(default_factory=monotonic)
    _before: float | None = None

    def __post_init__(self) -> None:
        """Read the first value."""
        self._before = _others_seconds()

    def processors(self) -> float | None:
        """Return the mean number of processors that others kept busy; None where the system does not report it."""
        after, seconds = _others_seconds(), monotonic() - self._since
        if self._before is None or after is None or seconds <= 0:
            return None
        _reap_orphans()
        return round(max(after - self._before - RESOLUTION, 0.0) / seconds, 3)


def _others_seconds() -> float | None:
    """Return the processor seconds since boot that this process and its descendants did not use."""
    if not sys.platform.startswith("linux"):
        return None
    _adopt_orphans()
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + getattr(times, "steal", 0.0)) - own_seconds()


def own_seconds() -> float:
    """Return the processor seconds of this process and its descendants, including ended ones that were waited for."""
    root = psutil.Process()
    used = 0.0
    for process in (root, *(root.children(recursive=True) if _has_children() else ())):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            used += times.user + times.system + times.children_user + times.children_system
    return used


def _has_children() -> bool:
    """Return whether this process has children; to list them, psutil reads a file of every process on the machine."""
    try:
        _ended_child()
    except ChildProcessError:
        return False
    return True


def _ended_child() -> "os.waitid_result | None":
    """Return a child that has ended and was not waited for; raises ChildProcessError if there is no child at all."""
    return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)


@cache
def _adopt_orphans() -> None:
    """Make orphans of our descendants our children, so that the processes of a fork server are counted."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0)


def _reap_orphans() -> None:
    """Wait for adopted orphans that have ended."""
    with contextlib.suppress(ChildProcessError):
        while ended := _ended_child():
            os.waitpid(ended.si_pid, os.WNOHANG)
