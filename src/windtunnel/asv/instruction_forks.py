"""Forks processes whose instructions valgrind counts, and notices what a fork or a count would miss.

`instruction_runner` imports it with the Python of the environment, and the tool what both ask of a process; it imports
the standard library only.
"""

import ctypes
import json
import os
import re
import resource
import select
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

OTHER_WORK = 3
"""Exit code of a process whose calls started threads or processes."""

MAX_FILE_TAIL = 4096
"""Bytes at the end of valgrind's file that are read; the total is in the last line."""

SMALL_SIZES = range(0, 1000, 16)
"""Sizes of bytes objects of which malloc of glibc keeps free blocks in lists, one of each list; floats are smaller."""

FREE_BLOCKS = 256
"""Free blocks of each small size that a case begins with."""

BUSY_FACTOR = 10
"""How many times as long as a case that waits one may take that computes on a busy machine."""

TOTAL = re.compile(rb"^summary: (\d+)", re.MULTILINE)


class CountError(Exception):
    """A case cannot be counted; the text is the reason."""


def read_total(folder: Path, pid: int) -> int:
    """Return the instructions of the process *pid* that has ended, and remove valgrind's file."""
    path = folder / str(pid)
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - MAX_FILE_TAIL))
            found = TOTAL.findall(file.read())
        path.unlink()
    except OSError as error:
        raise CountError(f"valgrind wrote no counts: {error}") from None
    if not found:
        raise CountError("valgrind wrote no total")
    return int(found[-1])


class OtherWork:
    """Notices threads and processes beside the one that is counted."""

    def __init__(self) -> None:
        """Watch how Python starts threads, and forks."""
        self.seen = False
        for name in ("_start_new_thread", "_start_joinable_thread"):
            if starts := getattr(threading, name, None):
                setattr(threading, name, self._watched(starts))
        os.register_at_fork(before=self._notice)

    def _watched(self, starts: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            self.seen = True
            return starts(*args, **kwargs)

        return watched

    def _notice(self) -> None:
        self.seen = True

    def is_left(self) -> bool:
        """Return whether there was any since ``seen`` was reset, or is any."""
        return (
            self.seen or threads() > 1 or has_children() or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0
        )


def threads(pid: int = 0) -> int:
    """Return the number of threads of a process, by default of this one."""
    return len(os.listdir(f"/proc/{pid or 'self'}/task"))  # noqa: PTH208 - pathlib is slow under valgrind


def may_fork(pid: int = 0) -> bool:
    """Return whether no thread is lost by a fork: OpenBLAS, of which numpy has a copy, ends and restarts its own."""
    if (found := threads(pid)) == 1:
        return True
    maps = Path(f"/proc/{pid or 'self'}/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    copies = {path for line in maps if "openblas" in (path := line.split(maxsplit=5)[-1])}
    return found == 1 + len(copies) * (len(os.sched_getaffinity(pid)) - 1)


def fill_free_lists() -> None:
    """Leave free blocks of each small size to malloc.

    Taking one of them takes a few instructions; without one, some hundreds that depend on where other objects lie.
    """
    blocks: list[Any] = [None] * (len(SMALL_SIZES) + 1) * FREE_BLOCKS
    for place in range(len(blocks)):
        size = place // FREE_BLOCKS
        blocks[place] = bytes(SMALL_SIZES[size]) if size < len(SMALL_SIZES) else float(place)


def has_children() -> bool:
    """Return whether processes that this one started run, or have ended without being waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def fork_each(acts: Sequence[int], child: Callable[[int], None]) -> tuple[list[int], list[int]]:
    """Fork a process for each of *acts* that does it in *child* and ends; return the processes and how they ended.

    What the parent does between two forks is in the count of the later one, so it is little and the same each time.
    """
    processes, ends = [0] * len(acts), [0] * len(acts)
    for place, act in enumerate(acts):
        processes[place] = pid = os.fork()
        if not pid:
            child(act)
        ends[place] = os.waitpid(pid, 0)[1]
    return processes, ends


def limit_processor(seconds: float) -> None:
    """End this process, by SIGPROF, when it has computed for so many seconds; those that it forks are not limited."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def used_seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def too_long(seconds: float) -> str:
    """Return why a case that takes more processor time is not counted."""
    return f"it took more than {seconds:g} s of processor time under valgrind, which runs 20 to 50 times slower"


def ending(status: int, seconds: float) -> str:
    """Return how a process ended that may compute for so many *seconds*, from its *status*."""
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGPROF:
        return too_long(seconds)
    return f"the process ended with {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"


def in_process(
    act: Callable[[], dict[str, Any]], seconds: float, clock_seconds: float, end_with: Callable[[int], None]
) -> dict[str, Any]:
    """Return what *act* returns in a forked process, or why it returned nothing.

    The process may compute for so many *seconds*, and take *clock_seconds* with what it waits for. It may take
    `BUSY_FACTOR` times as long where it computes, or other programs keep it from computing.
    """
    parent, (read_end, write_end) = os.getpid(), os.pipe()
    pid = os.fork()
    if not pid:
        end_with(parent)
        limit_processor(seconds)
        os.write(write_end, json.dumps(act()).encode() + b"\n")
        os.kill(os.getpid(), signal.SIGKILL)  # an exit would make valgrind write a file
    os.close(write_end)
    try:
        for _ in range(BUSY_FACTOR):
            line = read_line(read_end, monotonic() + clock_seconds)
            if line is not None or not is_running(pid):
                break
    finally:
        os.close(read_end)
        os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
    if line is None:
        return {"failed": f"it did not end within {clock_seconds:g} s: it waits"}
    if not line.endswith(b"\n"):
        return {"failed": ending(status, seconds)}
    result = json.loads(line)
    return result if isinstance(result, dict) else {"failed": "the process wrote no result"}


def is_running(pid: int | str) -> bool:
    """Return whether a process, or one that it started, has a processor or waits for one."""
    folder = Path(f"/proc/{pid}/task/{pid}")
    try:
        state = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2]
        return state.startswith("R") or any(map(is_running, (folder / "children").read_text(encoding="ascii").split()))
    except OSError:
        return False


def read_line(pipe: int, deadline: float) -> bytes | None:
    """Return what comes through *pipe* up to the end of a line or of the pipe; None after the *deadline*."""
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - monotonic()))
        if not ready:
            return None
        chunk = os.read(pipe, 65536)
        if not chunk:
            break
        line += chunk
    return line


def parent_death() -> Callable[[int], None]:
    """Return a function that makes this process end with its parent: PR_SET_PDEATHSIG of prctl(2)."""
    prctl = ctypes.CDLL(None).prctl

    def end_with(parent: int) -> None:
        prctl(1, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return end_with
