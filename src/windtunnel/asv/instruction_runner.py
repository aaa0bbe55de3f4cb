"""Counts the instructions of cases: imports the suite once, forks for each case, and again for each count of its calls.

`instruction_counter` starts this file with the Python of the environment; it then starts itself again under valgrind,
which writes the instructions of each process to a file when it ends. A case is opened and warmed up in a process. From
there it forks processes that make no call, no call, and k calls. They differ by k calls alone, except for what the
parent does from fork to fork, and that is the difference of the first two. It imports only asv_runner, the standard
library and a file beside it, and reports on stdout, a JSON object a line.
"""

import contextlib
import ctypes
import gc
import json
import os
import re
import resource
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __name__ != "__main__":
    from windtunnel.asv.open_case import TimedCase, begin
else:  # the environment has no windtunnel
    sys.path.insert(0, str(Path(__file__).parent))
    from open_case import TimedCase, begin

    del sys.path[0]

COUNTED = "WINDTUNNEL_IS_COUNTED"
"""Environment variable: this process runs under valgrind."""

TARGET = 5_000_000
"""Instructions to count, if that takes more than one call: about 70 ms under valgrind."""

MAX_CALLS = 1024
"""Calls that are counted, at most."""

MAX_WARM_UP = 32
"""Further calls before those that are counted, at most: the adaptive interpreter has specialised what it can."""

OTHER_WORK = 3
"""Exit code of a process whose calls started threads or processes."""

MAX_FILE_TAIL = 4096
"""Bytes at the end of valgrind's file that are read; the total is in the last line."""

THREADS = "the suite starts threads when it is imported; counting forks the process, which would end them"

THREADS = "the suite starts threads when it is imported; counting forks the process, which would end them"

TOTAL = re.compile(rb"^summary: (\d+)", re.MULTILINE)


class CountError(Exception):
    """A case cannot be counted; the text is the reason."""


def choose_calls(cost: int, *, isolated: bool) -> tuple[int, int]:
    """Return the further calls for warming up and the calls to count, for a call of *cost* instructions.

    A power of two, so that small differences between seeds and commits do not change it. A benchmark that asv sets up
    before each call has one call.
    """
    fitting = max(1, min(MAX_CALLS, TARGET // max(1, cost)))
    calls = 1 << (fitting.bit_length() - 1)
    return (0 if calls == 1 else min(calls, MAX_WARM_UP)), 1 if isolated else calls


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


def threads() -> int:
    """Return the number of threads of this process."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - pathlib is slow under valgrind


def may_fork() -> bool:
    """Return whether no thread is lost by a fork: OpenBLAS, of which numpy has a copy, ends and restarts its own."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    copies = {path for line in maps if "openblas" in (path := line.split(maxsplit=5)[-1])}
    return threads() in {1, 1 + len(copies) * (len(os.sched_getaffinity(0)) - 1)}


def has_children() -> bool:
    """Return whether processes that this one started run, or have ended without being waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


class CaseCount:
    """The count of one case, in a process of its own."""

    def __init__(
        self, case: TimedCase, request: dict[str, Any], other_work: OtherWork, end_with: Callable[[int], None]
    ) -> None:
        """Count *case* as the *request* says."""
        self._case, self._suite, self._folder = case, request["suite"], Path(request["counts"])
        self._other_work, self._end_with = other_work, end_with
        self.other = False

    def count(self) -> dict[str, Any]:
        """Return what to report of the case: how much a call takes, or why it is not counted."""
        from asv_runner.benchmarks.mark import SkipNotImplemented  # noqa: PLC0415 - see begin

        try:
            return self._counted()
        except SkipNotImplemented as reason:
            return {"skipped": repr(reason)}
        except CountError as error:
            return {"failed": str(error)}
        except BaseException:  # noqa: BLE001 - a benchmark may call sys.exit
            return {"failed": traceback.format_exc()}

    def _counted(self) -> dict[str, Any]:
        self._case.enter()
        self._case.find(self._suite)
        if refused := self._case.refusal():
            return {"skipped": refused}
        try:
            if skipped := self._case.open():
                return {"skipped": skipped}
            gc.collect()
            gc.disable()  # a collection would be in some processes and not in others; asv times without it
            if may_fork():
                self.other = has_children()
                if found := self._count_open():
                    return found
        finally:
            with contextlib.suppress(Exception):  # the last setup may have no call after it
                self._case.close()
        return self._count_apart()

    def _count_open(self) -> dict[str, Any]:
        """Return the count from forks of this process, in which the case is open; nothing if a call leaves threads."""
        self._case.run(1)
        if not may_fork():
            return {}
        self._case.renew()
        nothing, again, once = self._totals(0, 0, 1)
        between = again - nothing
        cost = call = once - again - between
        if self._case.isolated:  # each call for warming up has a setup of its own
            self._warm_up(1)
            cost = self._totals(0)[0] - again - 2 * between
        warm_up, calls = choose_calls(cost, isolated=self._case.isolated)
        if not warm_up:
            return self._found(call, 1)
        self._warm_up(warm_up)
        self._case.renew()
        nothing, again, counted = self._totals(0, 0, calls)
        return self._found((counted - again) - (again - nothing), calls)

    def _count_apart(self) -> dict[str, Any]:
        """Return the count from processes that open the case themselves: threads do not survive a fork."""
        self.other = True
        nothing, once = self._totals(0, 1, apart=0)
        warm_up, calls = choose_calls(once - nothing, isolated=self._case.isolated)
        if calls > 1:
            nothing, once = self._totals(0, calls, apart=warm_up)
        return self._found(once - nothing, calls)

    def _found(self, instructions: int, calls: int) -> dict[str, Any]:
        if instructions <= 0:
            raise CountError("more calls took no more instructions: its work depends on time or on other threads")
        return {"instructions": instructions / calls, "calls": calls, "other": self.other}

    def _warm_up(self, calls: int) -> None:
        """Make *calls*, each with a setup of its own if asv does so."""
        if not self._case.isolated:
            self._case.run(calls)
            return
        for _ in range(calls):
            self._case.renew()
            self._case.run(1)

    def _totals(self, *calls: int, apart: int | None = None) -> list[int]:
        """Return the instructions of processes that make so many *calls*, one after the other.

        With *apart*, each opens the case and makes so many further calls first.
        """
        parent, processes = os.getpid(), [0] * len(calls)
        ends = [0] * len(calls)
        for place, number in enumerate(calls):
            processes[place] = pid = os.fork()
            if not pid:
                self._run(number, apart, parent)
            ends[place] = os.waitpid(pid, 0)[1]
        for status in ends:
            code = os.waitstatus_to_exitcode(status)
            self.other |= code == OTHER_WORK
            if code not in {0, OTHER_WORK}:
                raise CountError(self._failure(code))
        return [read_total(self._folder, pid) for pid in processes]

    def _run(self, calls: int, apart: int | None, parent: int) -> None:
        """Make the calls in a new process, and end it."""
        code = 1
        try:
            self._end_with(parent)
            if apart is not None:
                self._case.find(self._suite)
                self._case.open()
                self._warm_up(1 + apart)
                self._case.renew()
            self._other_work.seen = False
            self._case.run(calls)
            code = OTHER_WORK if self._other_work.is_left() else 0
            if apart is not None:
                self._case.close()
        except BaseException:  # noqa: BLE001 - a benchmark may call sys.exit
            (self._folder / "failure").write_text(traceback.format_exc(), encoding="utf-8")
        finally:
            os._exit(code)

    def _failure(self, code: int) -> str:
        path = self._folder / "failure"
        if code == 1 and path.exists():
            return path.read_text(encoding="utf-8")
        return f"the process ended with {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"


def in_process(act: Callable[[], dict[str, Any]], seconds: float, end_with: Callable[[int], None]) -> dict[str, Any]:
    """Return what *act* returns in a forked process, or why it returned nothing within *seconds*."""
    parent, (read_end, write_end) = os.getpid(), os.pipe()
    pid = os.fork()
    if not pid:
        end_with(parent)
        os.write(write_end, json.dumps(act()).encode() + b"\n")
        os.kill(os.getpid(), signal.SIGKILL)  # an exit would make valgrind write a file
    os.close(write_end)
    try:
        line = read_line(read_end, monotonic() + seconds)
    finally:
        os.close(read_end)
        os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
    if line is None:
        return {"failed": f"it took more than {seconds:g} s under valgrind, which runs 20 to 50 times slower"}
    if not line.endswith(b"\n"):
        code = os.waitstatus_to_exitcode(status)
        return {"failed": f"the process ended with {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"}
    result = json.loads(line)
    return result if isinstance(result, dict) else {"failed": "the process wrote no result"}


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


def import_suite(case: TimedCase, suite: str) -> None:
    """Import the module of a case, so that all forks have it; a case whose import fails says so itself."""
    with contextlib.suppress(BaseException):
        case.enter()
        case.find(suite)


def main() -> None:
    """Count the cases that the file in the first argument describes."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if COUNTED not in os.environ:
        os.environ[COUNTED] = "1"
        os.execvp(request["command"][0], [*request["command"], sys.executable, __file__, sys.argv[1]])  # noqa: S606
    ballast = [bytes(size) for size in request["ballast"]]
    report = begin()
    other_work, end_with = OtherWork(), parent_death()
    cases = [TimedCase(each, folder) for each, folder in zip(request["cases"], request["folders"], strict=True)]
    for case in cases:
        import_suite(case, request["suite"])
    forks = may_fork()
    for number, case in enumerate(cases):
        report(case=number, step="counting")
        count = CaseCount(case, request, other_work, end_with)
        report(case=number, **(in_process(count.count, request["seconds"], end_with) if forks else {"failed": THREADS}))
    report(case=0, step="exit")
    del ballast


if __name__ == "__main__":
    main()
