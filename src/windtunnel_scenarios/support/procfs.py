"""What a process holds of the machine's memory, in bytes, as Linux tells it.

Never ``ru_maxrss`` of a child: it begins with the parent's high-water mark.
"""

import os
from pathlib import Path

from windtunnel_scenarios.model import UnavailableError

PROC = Path("/proc")
RESET_PEAK = "5"
"""Written to ``clear_refs``, this sets the high-water mark to what is resident now (proc(5), Linux 4.0 and newer)."""


def check_readable() -> None:
    """Refuse a system that does not tell."""
    if not (PROC / "self" / "smaps_rollup").exists():
        raise UnavailableError("memory is read from /proc/self/smaps_rollup, which this system lacks")


def resident(process: int) -> int:
    """What is resident now."""
    pages = (PROC / str(process) / "statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def reset_peak() -> None:
    """Let this process's high-water mark begin anew."""
    (PROC / "self" / "clear_refs").write_text(RESET_PEAK, encoding="ascii")


def peak() -> int:
    """This process's high-water mark."""
    return _kibibytes(PROC / "self" / "status", "VmHWM:")


def proportional(process: int) -> int:
    """What a process and all it started hold; pages that several of them share count once."""
    own = _kibibytes(PROC / str(process) / "smaps_rollup", "Pss:")
    return own + sum(proportional(child) for child in children(process))


def children(process: int) -> tuple[int, ...]:
    """The processes that a process started, from any of its threads."""
    tasks = (PROC / str(process) / "task").glob("*/children")
    return tuple(int(child) for task in tasks for child in task.read_text(encoding="ascii").split())


def _kibibytes(path: Path, label: str) -> int:
    line = next(line for line in path.read_text(encoding="ascii").splitlines() if line.startswith(label))
    return int(line.split()[1]) * 1024
