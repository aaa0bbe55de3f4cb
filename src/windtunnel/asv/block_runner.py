"""Runs cases in one process: opens all of them, warms each up, runs them in an order, closes all of them.

`block_engine` starts this file with the Python of the environment: it imports only asv_runner, the standard library and
a file beside it. It reports on stdout, a JSON object a line; what the benchmarks print goes to stderr.
"""

import gc
import json
import signal
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __name__ != "__main__":
    from windtunnel.asv.open_case import OpenCase, begin
else:  # the environment has no windtunnel
    sys.path.insert(0, str(Path(__file__).parent))
    from open_case import OpenCase, begin

    del sys.path[0]

SHARED_PEAK = "a peak of the process belongs to all its cases: set processes = 'separate' in the claim"


class TerminatedError(SystemExit):
    """The engine ends the process, because a step takes too long; asyncio passes a SystemExit on."""


class VisitedCase(OpenCase):
    """A case of the block, with its *number*."""

    def __init__(self, number: int, request: dict[str, Any], folder: str, attributes: dict[str, Any]) -> None:
        """Take its *number* in the block, its part of the *request*, a *folder* to work in, and its *attributes*."""
        super().__init__(request, folder, {**attributes, "repeat": 1})
        self.number = number
        self.has_ended = False

    def prepare(self, suite: str) -> str:
        """Find and set up; return why the benchmark is skipped, else nothing."""
        from asv_runner.benchmarks.peakmem import PeakMemBenchmark  # noqa: PLC0415 - see begin

        self.find(suite)
        if isinstance(self.benchmark, PeakMemBenchmark):
            raise ValueError(SHARED_PEAK)  # noqa: TRY004 - the type is right, its use is not
        return self.open()

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


def run(request: dict[str, Any], report: Callable[..., None]) -> None:
    """Open, warm up and visit the cases that *request* lists, and close them in any case."""
    described = zip(request["cases"], request["folders"], request["attributes"], strict=True)
    listed = [VisitedCase(number, *each) for number, each in enumerate(described)]
    cases = [listed[number] for number in dict.fromkeys(request["order"])]
    attempt = partial(_attempt, report)
    try:
        for case in cases:
            attempt(case, "setup", partial(case.prepare, request["suite"]))
        for case in cases:
            attempt(case, "warm-up", case.warm_up)
        for number in request["order"]:
            attempt(listed[number], "run", listed[number].visit)
    finally:
        for case in reversed(cases):
            attempt(case, "teardown", case.close)
    report(case=0, step="exit")


def _attempt(report: Callable[..., None], case: VisitedCase, step: str, action: Callable[[], Any]) -> None:
    """Do one step of a case that has not ended; report what it gave, or why it failed or is skipped."""
    from asv_runner.benchmarks.mark import SkipNotImplemented  # noqa: PLC0415 - see begin

    if case.has_ended and not (step == "teardown" and case.is_open):
        return
    report(case=case.number, step=step)
    end = {}
    try:
        case.enter()
        result = action()
        if step == "setup" and result:
            end = {"skipped": result}
        elif step == "run":
            report(case=case.number, **result)
    except TerminatedError:
        raise
    except SkipNotImplemented as reason:
        end = {"skipped": repr(reason)}
    except BaseException:  # noqa: BLE001 - a benchmark may call sys.exit
        end = {"failed": traceback.format_exc()}
    if end:
        case.has_ended = True
        report(case=case.number, **end)


def main() -> None:
    """Run the block that the file in the first argument describes."""
    report = begin()

    def terminate(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise TerminatedError(128 + number)

    signal.signal(signal.SIGTERM, terminate)
    run(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), report)


if __name__ == "__main__":
    main()
