"""Records which functions each case runs: imports the suite once, forks a process for each case, and watches it.

`reach` starts this file with the Python of the environment: it imports only asv_runner, the standard library and files
beside it. Python reports each code object that starts or resumes, in every thread (`sys.monitoring`, PEP 669; on 3.11
`sys.setprofile`). A code object is reported once and then runs at full speed, until the next case watches anew: what
one case ran, or the import, is reported again for the next. It reports on stdout, a JSON object a line.
"""

import contextlib
import json
import os
import pickle
import signal
import sys
import sysconfig
import tempfile
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __name__ != "__main__":
    from windtunnel.asv import instruction_forks as forks
    from windtunnel.asv.open_case import OpenCase, TimedCase, begin, name_files
else:  # the environment has no windtunnel
    sys.path.insert(0, str(Path(__file__).parent))
    import instruction_forks as forks
    from open_case import OpenCase, TimedCase, begin, name_files

    del sys.path[0]

ATTRIBUTES = {"repeat": 1, "rounds": 1, "warmup_time": 0}
"""What keeps benchmark types with samples of their own short."""

SECOND_CALL = 1.0
"""Seconds that the first call may take if a second one follows: it may find caches filled, and run other functions."""

PROCESSES = "it starts other processes, and what they run is not seen"

STARTS = ("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec")
"""Events of `sys.addaudithook` by which a process starts."""

SPAWNS = "spawnv_passfds"
"""The function by which multiprocessing starts a process without an audit event."""

UNLIMITED = 1e6
"""Seconds of processor time: a case is limited by the clock."""


class Watch:
    """Sees the code that starts or resumes in this process, and whether processes are started."""

    def __init__(self) -> None:
        """Begin to watch."""
        self.codes: dict[int, CodeType] = {}
        """By id: codes with equal content are equal, whatever their files."""
        self.processes = False
        self._monitoring = getattr(sys, "monitoring", None)
        if self._monitoring is None:
            threading.setprofile(self._called)
            sys.setprofile(self._called)
        else:
            tool = next(number for number in (4, 3, 5, 2, 1, 0) if self._monitoring.get_tool(number) is None)
            self._monitoring.use_tool_id(tool, "windtunnel")
            events = self._monitoring.events
            for event in (events.PY_START, events.PY_RESUME):
                self._monitoring.register_callback(tool, event, self._started)
            self._monitoring.register_callback(tool, events.PY_THROW, lambda code, *_: self._keep(code))
            self._monitoring.set_events(tool, events.PY_START | events.PY_RESUME | events.PY_THROW)
        sys.addaudithook(self._audited)

    def renew(self) -> None:
        """Forget what ran. What was reported, in this process or the one that it was forked from, is reported again."""
        self.codes, self.processes = {}, False
        if self._monitoring is not None:
            self._monitoring.restart_events()

    def functions(self, name: Callable[[str], str]) -> list[tuple[str, str, list[str]]]:
        """Return the files that ran, the *name* of each, and the qualified names of the outermost functions in it."""
        library = (sysconfig.get_path("stdlib") + os.sep, "<")
        found: dict[str, set[str]] = {}
        for code in tuple(self.codes.values()):
            path = code.co_filename
            if "site-packages" in path or "dist-packages" in path or not path.startswith(library):
                found.setdefault(path, set()).add(outermost(code.co_qualname))
        return [(path, name(path), sorted(names)) for path, names in found.items()]

    def _started(self, code: CodeType, _: int) -> Any:
        self._keep(code)
        return self._monitoring.DISABLE  # type: ignore[union-attr]

    def _called(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            self._keep(frame.f_code)

    def _keep(self, code: CodeType) -> None:
        self.codes[id(code)] = code
        self.processes |= code.co_name == SPAWNS

    def _audited(self, event: str, _: Any) -> None:
        self.processes |= event in STARTS


def outermost(name: str) -> str:
    """Return the qualified name of the outermost function or method around; that of the module for code of neither."""
    first = name.partition(".<locals>")[0]
    return "<module>" if "<" in first else first


class CaseReach:
    """What one case runs, in a process of its own."""

    def __init__(self, case: TimedCase, suite: str, watch: Watch, *, caches: bool) -> None:
        """Watch *case*, or with *caches* its setup_cache."""
        self._case, self._suite, self._watch, self._caches = case, suite, watch, caches

    def run(self) -> dict[str, Any]:
        """Return what to report: functions, and why there may be more, or why the case failed."""
        self._watch.renew()
        try:
            self._case.enter()
            self._case.find(self._suite)
            if self._caches:
                value = self._case.benchmark.do_setup_cache()
                Path("cache.pickle").write_bytes(pickle.dumps(value))
            else:
                self._run()
        except BaseException:  # noqa: BLE001 - a benchmark may call sys.exit
            return {"failed": traceback.format_exc()[-500:]}
        reason = PROCESSES if self._watch.processes else ""
        return {"functions": self._watch.functions(name_files(self._suite)), "reason": reason}

    def _run(self) -> None:
        refused = self._case.refusal()
        skipped = OpenCase.open(self._case) if refused else self._case.open()
        try:
            if refused and not skipped:
                self._case.benchmark.do_run()
            elif not skipped:
                started = perf_counter()
                self._case.run(1)
                if perf_counter() - started < SECOND_CALL:
                    self._case.renew()
                    self._case.run(1)
        finally:
            self._case.close()


def run_cases(request: dict[str, Any], watch: Watch, report: Callable[..., None]) -> None:
    """Report what each case runs, from a process forked for it; where forks are not safe, only the first case.

    The engine asks again for the others.
    """
    linux = sys.platform == "linux"
    end_with = forks.parent_death() if linux else lambda _: None
    is_forked = linux and forks.may_fork()
    ends = perf_counter() + request["seconds"]
    caches: dict[str, tuple[str, dict[str, Any]]] = {}

    def watched(case: dict[str, Any], folder: str, seconds: float, *, caching: bool = False) -> dict[str, Any]:
        reach = CaseReach(TimedCase(case, folder, ATTRIBUTES), request["suite"], watch, caches=caching)
        if is_forked:
            return forks.in_process(reach.run, UNLIMITED, seconds, end_with)
        signal.setitimer(signal.ITIMER_REAL, seconds)  # whose signal ends this process
        try:
            return reach.run()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    for number, case in enumerate(request["cases"]):
        if perf_counter() > ends or (number and not is_forked):
            return
        key, folder = request["keys"][number], request["folders"][number]
        report(case=number, step="run")
        if key and key not in caches:
            made = tempfile.mkdtemp(dir=folder)
            caches[key] = made, watched(case, made, request["cache_seconds"], caching=True)
        cache, outcome = caches.get(key, ("", {}))
        if "failed" not in outcome:
            found = watched({**case, "cache": cache}, folder, request["limits"][number])
            reason = found.get("reason") or outcome.get("reason", "")
            functions = [*found.get("functions", ()), *outcome.get("functions", ())]
            outcome = {**found, "reason": reason, "functions": functions}
        report(case=number, **outcome)


def main() -> None:
    """Watch the cases that the file in the first argument describes; all of them are of one module."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    report = begin()
    watch = Watch()
    first = TimedCase(request["cases"][0], request["folders"][0], ATTRIBUTES)
    with contextlib.suppress(BaseException):  # the case says why it cannot be imported
        first.enter()
        first.find(request["suite"])
    report(case=0, imported=watch.functions(name_files(request["suite"])))
    run_cases(request, watch, report)
    report(case=0, step="exit")


if __name__ == "__main__":
    main()
