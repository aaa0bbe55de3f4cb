"""Memory and processor time of processes, as Linux reports them in /proc.

``ru_maxrss`` of a child is never read: it starts with the parent's high-water mark.
"""

import os
import time
from contextlib import suppress
from pathlib import Path

from windtunnel_scenarios.model import UnavailableError

PROC = Path("/proc")
RESET_PEAK = "5"
"""Written to ``clear_refs``, this sets the high-water mark to what is resident now (proc(5), Linux 4.0 and newer)."""

GROUP, CHILDREN = 2, slice(13, 15)
"""Fields of ``/proc/PID/stat`` behind the command (proc(5)): the group; ticks of children that were waited for."""

CPU_CLOCK = 2
"""The kind of a process's clock that counts its processor time (``CPUCLOCK_SCHED`` of Linux's posix-timers.h)."""


def check_memory_readable() -> None:
    """Raise UnavailableError on a system that does not report memory."""
    if not (PROC / "self" / "smaps_rollup").exists():
        raise UnavailableError("memory is read from /proc/self/smaps_rollup, which this system lacks")


def rss(process: int) -> int:
    """Return the resident set size of a process, in bytes."""
    pages = (PROC / str(process) / "statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def peak_rss() -> int:
    """Return this process's high-water mark, in bytes."""
    return _read_kibibytes(PROC / "self" / "status", "VmHWM:")


def reset_peak_rss() -> None:
    """Set this process's high-water mark to what is resident now."""
    (PROC / "self" / "clear_refs").write_text(RESET_PEAK, encoding="ascii")


def pss(process: int) -> int:
    """Return the proportional set size of a process and all its descendants: a page that n share counts 1/n each."""
    own = _read_kibibytes(PROC / str(process) / "smaps_rollup", "Pss:")
    return own + sum(pss(child) for child in children(process))


def kernel_memory() -> int:
    """Return the bytes that the kernel uses on this machine for stacks of threads, page tables and its own objects."""
    return sum(_read_kibibytes(PROC / "meminfo", label) for label in ("KernelStack:", "PageTables:", "Slab:"))


def children(process: int) -> tuple[int, ...]:
    """Return the processes that a process started, from any of its threads."""
    tasks = (PROC / str(process) / "task").glob("*/children")
    return tuple(int(child) for task in tasks for child in task.read_text(encoding="ascii").split())


def group_cpu_seconds(group: int) -> float:
    """Return the processor time that all processes of a group have used, in user and system mode.

    That of children that were waited for comes in steps of a hundredth of a second.
    """
    if not (PROC / "self" / "stat").exists():
        raise UnavailableError("processor time of a server is read from /proc, which this system lacks")
    seconds, ticks = 0.0, 0
    for process in PROC.glob("[0-9]*"):
        with suppress(OSError):  # the process has ended
            fields = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[GROUP]) == group:
                seconds += time.clock_gettime(~int(process.name) << 3 | CPU_CLOCK)
                ticks += sum(map(int, fields[CHILDREN]))
    return seconds + ticks / os.sysconf("SC_CLK_TCK")


def _read_kibibytes(path: Path, label: str) -> int:
    line = next(line for line in path.read_text(encoding="ascii").splitlines() if line.startswith(label))
    return int(line.split()[1]) * 1024
