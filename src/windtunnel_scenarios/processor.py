"""How long processes have computed, as Linux tells it."""

import os
from contextlib import suppress
from pathlib import Path

from windtunnel_scenarios.model import UnavailableError

PROC = Path("/proc")
GROUP, TIMES = 2, slice(11, 15)
"""Fields of ``/proc/PID/stat`` behind the command (proc(5)): the group; ticks in user and system mode, then the same of
children that were waited for."""


def group_seconds(group: int) -> float:
    """Seconds of processor time that all processes of a group have used, in steps of a hundredth."""
    if not (PROC / "self" / "stat").exists():
        raise UnavailableError("processor time of a server is read from /proc, which this system lacks")
    ticks = 0
    for process in PROC.glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[GROUP]) == group:
                ticks += sum(map(int, fields[TIMES]))
    return ticks / os.sysconf("SC_CLK_TCK")
