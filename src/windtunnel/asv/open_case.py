"""Opens a case in a process as asv does: finds the benchmark, sets it up, calls it, tears it down.

The files that run with the Python of the environment share it: `block_runner`, `instruction_runner`, `profile_runner`
and `reach_runner`. It imports only asv_runner and the standard library.
"""

import contextlib
import io
import json
import os
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SKIPPED = re.compile(r"^asv: skipped: (.*\S)", re.MULTILINE)
"""What asv prints when a setup raises NotImplementedError."""


class OpenCase:
    """A benchmark with one combination of parameters."""

    def __init__(self, request: dict[str, Any], folder: str, attributes: dict[str, Any] | None = None) -> None:
        """Take its part of the *request*, a *folder* to work in, and *attributes* of this process."""
        self._request, self._attributes = request, attributes or {}
        self._folder = request["cache"] or folder
        self.is_open = False

    def enter(self) -> None:
        """Change to the folder of the case, as asv does for each process."""
        os.chdir(self._folder)

    def find(self, suite: str) -> None:
        """Import the benchmark from the folder *suite*, with the attributes of this process."""
        from asv_runner.discovery import get_benchmark_from_name  # noqa: PLC0415 - see begin

        self.benchmark = get_benchmark_from_name(suite, self._request["name"], extra_params=self._attributes)

    def open(self) -> str:
        """Set up; return why the benchmark is skipped, else nothing."""
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

    def close(self) -> None:
        """Tear down what is open."""
        if self.is_open:
            self.is_open = False
            self.benchmark.do_teardown()


class TimedCase(OpenCase):
    """A case whose calls asv times; here they are called without a clock's decisions."""

    isolated = False
    """Whether asv sets up again before each call."""

    def refusal(self) -> str:
        """Return why the benchmark that was found has no calls of its own; else nothing."""
        from asv_runner.benchmarks.time import TimeBenchmark  # noqa: PLC0415 - see begin
        from asv_runner.benchmarks.timeraw import TimerawBenchmark  # noqa: PLC0415

        if isinstance(self.benchmark, TimerawBenchmark):
            return "a timeraw benchmark runs in a process of its own"
        if not isinstance(self.benchmark, TimeBenchmark) or self.benchmark.type != "time":
            return f"a benchmark of type {self.benchmark.type} is not timed"
        if type(self.benchmark).run is not TimeBenchmark.run:
            return "its benchmark type takes its own samples"
        return ""

    @property
    def starts_servers(self) -> bool:
        """Whether the suite says that processes which the setup starts are servers, whose work is not the case's."""
        sources = self.benchmark._attr_sources  # noqa: SLF001 - asv_runner has no public way
        return any(getattr(source, "setup_starts_servers", False) for source in sources)

    def open(self) -> str:
        """Set up and take asv's timer, which calls the benchmark; return why it is skipped, else nothing."""
        if skipped := super().open():
            return skipped
        benchmark = self.benchmark
        old = benchmark.number == 1  # asv_runner before 0.3 sets up before each sample, which may have many calls
        self.isolated = bool(benchmark._setups) and getattr(benchmark, "_setup_isolates_timed_calls", old)  # noqa: SLF001
        self._timer = benchmark._get_timer(*benchmark._build_params())  # noqa: SLF001 - asv_runner has no public way
        return ""

    def within(self, act: Callable[[], None]) -> str:
        """Set up, run *act* while the case is open, and tear down; return why nothing is called, else nothing."""
        in_test = getattr(self.benchmark, "within", None)  # of a test, inside which the benchmark is called
        if reason := super().open() if in_test else self.refusal() or self.open():
            return reason
        failures: list[BaseException] = []

        def guarded() -> None:
            self._timer = self.benchmark._get_timer()  # noqa: SLF001 - as above
            try:
                act()
            except BaseException as error:  # noqa: BLE001 - not a failure of the test
                failures.append(error)

        try:
            if in_test:
                reason = str(in_test(guarded))
            else:
                act()
        finally:
            with contextlib.suppress(Exception):  # the last setup may have no call after it
                self.close()
        for failure in failures:
            raise failure
        return reason

    def run(self, calls: int) -> None:
        """Call the benchmark: the loop of asv's timer, garbage collection off. The first time, at least once."""
        self.benchmark._redo_setup_next = False  # noqa: SLF001 - as asv's warm-up does
        self._timer.timeit(calls)

    def renew(self) -> None:
        """Tear down and set up again, if asv would do so before the next call."""
        if self.isolated:
            self.benchmark._redo_setup_next = True  # noqa: SLF001
            self.benchmark.redo_setup()


def counted_allocator() -> dict[str, str]:
    """Return the variable of a process whose instructions are counted; a free-threaded Python has one allocator."""
    import sysconfig  # noqa: PLC0415 - not in the process that is counted

    return {} if sysconfig.get_config_var("Py_GIL_DISABLED") else {"PYTHONMALLOC": "malloc"}


def name_files(suite: str) -> Callable[[str], str]:
    """Return a function that names files relative to the folder that Python or the *suite* finds them in.

    A file that lies elsewhere keeps its name.
    """
    around = str(Path(suite).resolve().parent)
    found = {os.path.realpath(entry) for entry in (*sys.path, around) if entry and Path(entry).is_dir()}
    folders = sorted(found, key=len, reverse=True)

    def name(file: str) -> str:
        real = os.path.realpath(file)
        for folder in folders:
            if real.startswith(folder + os.sep) and not file.startswith("<"):
                return Path(real).relative_to(folder).as_posix()
        return file

    return name


def begin() -> Callable[..., None]:
    """Import asv_runner as asv does; return a function that reports an event as a line of JSON on stdout.

    What the benchmarks print goes to stderr from now on.
    """
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

    return report
