"""Counts the instructions of cases: imports the suite once, forks for each case, and again for each count of its calls.

`instruction_counter` starts this file with the Python of the environment; it then starts itself again under valgrind,
which writes the instructions of each process to a file when it ends. A case is opened and warmed up in a process. From
there it forks processes that make by turns no call and k calls. They differ by k calls, and by what the parent does
from fork to fork. It does the same each time, so k calls are the difference of a process that makes them from the mean
of its two neighbours. It imports only asv_runner, the standard library and files beside it, and reports on stdout, a
JSON object a line.
"""

import contextlib
import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __name__ != "__main__":
    from windtunnel.asv import instruction_forks as forks
    from windtunnel.asv.instruction_forks import CountError
    from windtunnel.asv.open_case import TimedCase, begin, counted_allocator
else:  # the environment has no windtunnel
    sys.path.insert(0, str(Path(__file__).parent))
    import instruction_forks as forks
    from instruction_forks import CountError
    from open_case import TimedCase, begin, counted_allocator

    del sys.path[0]

COUNTED = "WINDTUNNEL_IS_COUNTED"
"""Environment variable: this process runs under valgrind."""

TARGET = 5_000_000
"""Instructions to count, if that takes more than one call: about 70 ms under valgrind."""

MAX_CALLS = 1024
"""Calls that are counted, at most."""

MAX_WARM_UP = 32
"""Further calls before those that are counted, at most: the adaptive interpreter has specialised what it can."""

FEW = 1_000_000
"""Instructions of which what the parent does unevenly from fork to fork, some hundreds, may be a part that shows."""

PAIRS = 5
"""Counts of fewer instructions; their median leaves uneven ones out."""

WARM_UP_FORKS = 16
"""Forks before the first case: the adaptive interpreter has specialised what the parent does from fork to fork."""

THREADS = "the suite starts threads when it is imported; counting forks the process, which would end them"


def choose_calls(cost: float, *, isolated: bool) -> tuple[int, int]:
    """Return the further calls for warming up and the calls to count, for a call of *cost* instructions.

    A power of two, so that small differences between seeds and commits do not change it. A benchmark that asv sets up
    before each call has one call.
    """
    fitting = max(1, min(MAX_CALLS, int(TARGET // max(1, cost))))
    calls = 1 << (fitting.bit_length() - 1)
    return (0 if calls == 1 else min(calls, MAX_WARM_UP)), 1 if isolated else calls


class CaseCount:
    """The count of one case, in a process of its own."""

    def __init__(
        self, case: TimedCase, request: dict[str, Any], other_work: forks.OtherWork, end_with: Callable[[int], None]
    ) -> None:
        """Count *case* as the *request* says."""
        self._case, self._suite, self._folder = case, request["suite"], Path(request["counts"])
        self._seconds = request["seconds"]
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
        found: dict[str, Any] = {}
        if skipped := self._case.within(lambda: found.update(self._count_open())):
            return {"skipped": skipped}
        return found or self._count_apart()

    def _count_open(self) -> dict[str, Any]:
        """Return the count from forks of this process, in which the case is open; nothing if there are threads."""
        gc.collect()
        gc.disable()  # a collection would be in some processes and not in others; asv times without it
        forks.fill_free_lists()
        if not forks.may_fork():
            return {}
        self.other = forks.has_children() and not self._case.starts_servers
        self._case.run(1)
        if not forks.may_fork():
            return {}
        self._case.renew()
        cost = call = self._difference(1)
        if self._case.isolated:  # each call for warming up has a setup of its own
            before = self._totals(0)[0]
            self._warm_up(1)
            cost = self._totals(0)[0] - before
        warm_up, calls = choose_calls(cost, isolated=self._case.isolated)
        if warm_up:
            self._warm_up(warm_up)
        elif call >= FEW:
            return self._found(call, 1)
        self._case.renew()
        return self._found(self._difference(calls, pairs=1 if call * calls >= FEW else PAIRS), calls)

    def _count_apart(self) -> dict[str, Any]:
        """Return the count from processes that open the case themselves: threads do not survive a fork."""
        self.other = True
        cost = self._difference(1, apart=0)
        warm_up, calls = choose_calls(cost, isolated=self._case.isolated)
        return self._found(cost if calls == 1 else self._difference(calls, apart=warm_up), calls)

    def _found(self, instructions: float, calls: int) -> dict[str, Any]:
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

    def _difference(self, calls: int, *, pairs: int = 1, apart: int | None = None) -> float:
        """Return the instructions of so many *calls*: the median of *pairs* of processes with them and without."""
        totals = self._totals(*(0, calls) * pairs, 0, apart=apart)
        found = [totals[place] - (totals[place - 1] + totals[place + 1]) / 2 for place in range(1, 2 * pairs, 2)]
        return sorted(found)[pairs // 2]

    def _totals(self, *calls: int, apart: int | None = None) -> list[int]:
        """Return the instructions of processes that make so many *calls*, one after the other.

        With *apart*, each opens the case and makes so many further calls first.
        """
        parent, seconds = os.getpid(), self._seconds - forks.used_seconds()
        if seconds <= 0:
            raise CountError(forks.too_long(self._seconds))
        processes, ends = forks.fork_each(calls, lambda number: self._run(number, apart, parent, seconds))
        for status in ends:
            code = os.waitstatus_to_exitcode(status)
            self.other |= code == forks.OTHER_WORK
            if code not in {0, forks.OTHER_WORK}:
                raise CountError(self._failure(status))
        return [forks.read_total(self._folder, pid) for pid in processes]

    def _run(self, calls: int, apart: int | None, parent: int, seconds: float) -> None:
        """Make the calls in a new process, which may compute for so many *seconds*, and end it."""
        code = 1
        try:
            self._end_with(parent)
            forks.limit_processor(seconds)
            codes: list[int] = []
            if apart is None:
                codes.append(self._make(calls))
            else:
                self._case.find(self._suite)
                self._case.within(lambda: codes.append(self._make(calls, warm_up=1 + apart)))
            (code,) = codes
        except BaseException:  # noqa: BLE001 - a benchmark may call sys.exit
            (self._folder / "failure").write_text(traceback.format_exc(), encoding="utf-8")
        finally:
            os._exit(code)

    def _make(self, calls: int, *, warm_up: int = 0) -> int:
        """Make the calls, after others; return the exit code that says whether they did other work."""
        if warm_up:
            self._warm_up(warm_up)
            self._case.renew()
        self._other_work.seen = False
        self._case.run(calls)
        return forks.OTHER_WORK if self._other_work.is_left() else 0

    def _failure(self, status: int) -> str:
        path = self._folder / "failure"
        if os.waitstatus_to_exitcode(status) == 1 and path.exists():
            return path.read_text(encoding="utf-8")
        return forks.ending(status, self._seconds)


def main() -> None:
    """Count the cases that the file in the first argument describes."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if COUNTED not in os.environ:
        os.environ.update({**counted_allocator(), COUNTED: "1"})
        os.execvp(request["command"][0], [*request["command"], sys.executable, __file__, sys.argv[1]])  # noqa: S606
    ballast = [bytes(size) for size in request["ballast"]]
    report = begin()
    other_work, end_with = forks.OtherWork(), forks.parent_death()
    cases = [TimedCase(each, folder) for each, folder in zip(request["cases"], request["folders"], strict=True)]
    for case in cases:
        with contextlib.suppress(BaseException):  # a case whose import fails says so itself
            case.enter()
            case.find(request["suite"])
    may_fork = forks.may_fork()
    if may_fork:
        forks.fork_each([0] * WARM_UP_FORKS, lambda _: os.kill(os.getpid(), signal.SIGKILL))
    limits = request["seconds"], request["clock_seconds"]
    for number, case in enumerate(cases):
        report(case=number, step="counting")
        count = CaseCount(case, request, other_work, end_with)
        outcome = forks.in_process(count.count, *limits, end_with) if may_fork else {"failed": THREADS}
        report(case=number, **outcome)
    report(case=0, step="exit")
    del ballast


if __name__ == "__main__":
    main()
