"""Runs cases in one process: opens all of them, warms each up, runs them in an order, closes all of them.

`block_engine` starts this file with the Python of the environment: it imports only asv_runner and the standard library.
It reports on stdout, a JSON object a line; what the benchmarks print goes to stderr.
"""

import contextlib
import gc
import io
import json
import os
import pickle
import re
import signal
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

SKIPPED = re.compile(r"^asv: skipped: (.*\S)", re.MULTILINE)
"""What asv prints when a setup raises NotImplementedError. `measure` repeats it."""


SHARED_PEAK = "a peak of the process belongs to all its cases: set processes = 'separate' in the claim"


class TerminatedError(SystemExit):
    """The engine ends the process, because a step takes too long; asyncio passes a SystemExit on."""


class OpenCase:
    """A benchmark with one combination of parameters."""

    def __init__(self, number: int, request: dict[str, Any], folder: str) -> None:
        """Take its *number* in the block, its part of the request, and a *folder* to work in."""
        self.number, self._request = number, request
        self._folder = request["cache"] or folder
        self.is_open = self.has_ended = False

    def enter(self) -> None:
        """Change to the folder of the case, as asv does for each process."""
        os.chdir(self._folder)

    def open(self, suite: str) -> str:
        """Set up; return why the benchmark is skipped, else nothing."""
        from asv_runner.benchmarks.peakmem import PeakMemBenchmark  # noqa: PLC0415 - see main
        from asv_runner.discovery import get_benchmark_from_name  # noqa: PLC0415

        attributes = {**self._request["attributes"], "repeat": 1}
        self.benchmark = get_benchmark_from_name(suite, self._request["name"], extra_params=attributes)
        if isinstance(self.benchmark, PeakMemBenchmark):
            raise ValueError(SHARED_PEAK)  # noqa: TRY004 - the type is right, its use is not
        cache = pickle.loads(Path("cache.pickle").read_bytes()) if self._request["cache"] else None  # noqa: S301
        self.benchmark.set_cache(cache)
        printed = io.StringIO()
        self.is_open = True
        try:
            with contextlib.redirect_stdout(printed):
                skips = self.benchmark.do_setup()
        except BaseException:
            self.is_open = False  # as in asv: no teardown after a setup that failed
            raise
        finally:
            sys.stderr.write(printed.getvalue())
        stated = SKIPPED.findall(printed.getvalue())
        return (stated[-1] if stated else "it is in skip_params") if skips else ""

    def warm_up(self) -> None:
        """Run once, with one sample; the later runs make as many calls for a sample.

        A benchmark that sets its calls and no warm-up is not run, as in asv: its setup has done what is needed.
        """
        needs_none = getattr(self.benchmark, "warmup_time", None) == 0 and getattr(self.benchmark, "number", 0)
        result = {"number": self.benchmark.number} if needs_none else self.benchmark.do_run()
        if hasattr(self.benchmark, "_load_vars"):
            attributes = self.benchmark._attr_sources[0]  # noqa: SLF001 - asv_runner has no public way
            attributes.number = result["number"]
            del attributes.repeat
            self.benchmark._load_vars()  # noqa: SLF001

    def visit(self) -> dict[str, Any]:
        """Run and return what asv would write to the file of results."""
        gc.collect()  # the garbage of other cases is theirs
        result = self.benchmark.do_run()
        return result if isinstance(result, dict) and "samples" in result else {"value": result}

    def close(self) -> None:
        """Tear down what is open."""
        if self.is_open:
            self.is_open = False
            self.benchmark.do_teardown()


class BlockRun:
    """The cases of a block, and where to report."""

    def __init__(self, request: dict[str, Any], report: Callable[..., None]) -> None:
        """Prepare what *request* lists."""
        self._suite, self._order, self._report = request["suite"], request["order"], report
        self._cases = [
            OpenCase(number, each, folder)
            for number, (each, folder) in enumerate(zip(request["cases"], request["folders"], strict=True))
        ]

    def run(self) -> None:
        """Open, warm up, visit, and close in any case."""
        cases = [self._cases[number] for number in dict.fromkeys(self._order)]
        try:
            for case in cases:
                self._attempt(case, "setup", partial(case.open, self._suite))
            for case in cases:
                self._attempt(case, "warm-up", case.warm_up)
            for number in self._order:
                self._attempt(self._cases[number], "run", self._cases[number].visit)
        finally:
            for case in reversed(cases):
                self._attempt(case, "teardown", case.close)
        self._report(case=0, step="exit")

    def _attempt(self, case: OpenCase, step: str, action: Callable[[], Any]) -> None:
        """Do one step of a case that has not ended; report what it gave, or why it failed or is skipped."""
        from asv_runner.benchmarks.mark import SkipNotImplemented  # noqa: PLC0415 - see main

        if case.has_ended and not (step == "teardown" and case.is_open):
            return
        self._report(case=case.number, step=step)
        try:
            case.enter()
            result = action()
            if step == "setup" and result:
                self._end(case, skipped=result)
            elif step == "run":
                self._report(case=case.number, **result)
        except TerminatedError:
            raise
        except SkipNotImplemented as reason:
            self._end(case, skipped=repr(reason))
        except BaseException:  # noqa: BLE001 - a benchmark may call sys.exit
            self._end(case, failed=traceback.format_exc())

    def _end(self, case: OpenCase, **how: str) -> None:
        case.has_ended = True
        self._report(case=case.number, **how)


def main() -> None:
    """Run the block that the file in the first argument describes."""
    own_folder = str(Path(__file__).parent)
    if sys.path and sys.path[0] == own_folder:
        del sys.path[0]  # or suites would import the tool's modules
    paths = [path for path in os.environ.get("ASV_PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:0] = paths
    import asv_runner.discovery  # noqa: F401, PLC0415 - with its plugins

    if not paths:  # as asv's own script does
        sys.path[:] = [path for path in sys.path if path not in os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    events = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def report(**event: object) -> None:
        events.write(json.dumps(event) + "\n")
        events.flush()

    def terminate(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise TerminatedError(128 + number)

    signal.signal(signal.SIGTERM, terminate)
    BlockRun(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), report).run()


if __name__ == "__main__":
    main()
