"""asv benchmark types for cases that are prepared once in a process.

With a ``setup``, asv tears down and sets up again before *every* timed call. Here ``setup`` opens loops, pools and
connections that must be warm. So it runs once before the first call, and ``teardown`` runs once after the last, also
when a call raised.
"""

import re
from time import monotonic
from typing import Any

from asv_runner.benchmarks import _base
from asv_runner.benchmarks import time as asv_time

from asv_bench_async.timing import collector_off


class _TimedRun(asv_time.TimeBenchmark):  # type: ignore[misc]  # asv_runner ships no types
    """``time_run``: asv's ``time_*`` without the repeated setup."""

    name_regex = re.compile(r"time_run\Z")
    _setup_isolates_timed_calls = False

    def __init__(self, name: str, func: Any, attr_sources: list[Any]) -> None:
        super().__init__(name, func, attr_sources)
        self._between = _base._get_first_attr(attr_sources, "between", _do_nothing)  # noqa: SLF001 - as asv's own types do

    def redo_setup(self) -> None:
        """Do what the suite asks for before each timed call, outside the clock; set nothing up again."""
        self._between()


class _RecordedRun(_TimedRun):
    """``time_lag`` and similar: the samples are the values that a call returns, not how long it took.

    Garbage collection is off during a call, as it is for what asv times.
    """

    name_regex = re.compile(
        r"(time_lag|time_wait_p99|time_job|time_cpu|time_server_cpu|peak_growth|peak_kernel_growth|peak_memory|peak_profile"
        r"|count_switches|ratio_server_load)\Z"
    )

    def __init__(self, name: str, func: Any, attr_sources: list[Any]) -> None:
        super().__init__(name, func, attr_sources)
        self.unit = _base._get_first_attr(attr_sources, "unit", "seconds")  # noqa: SLF001 - as asv's own types do
        by_unit = {"seconds": "time", "bytes": "peakmemory"}.get(self.unit, "track")
        self.type = "profile" if func.__name__ == "peak_profile" else by_unit  # a profile's samples are in time order

    def run(self, *param: str) -> dict[str, Any]:
        """Call as often as asv would time a call, and keep all that each call returns."""
        samples: list[float] = []
        repeat = self.repeat
        min_calls, max_calls, max_seconds = (repeat, repeat, 0.0) if isinstance(repeat, int) else repeat
        begin = monotonic()
        for number in range(max_calls):
            if number >= min_calls and monotonic() - begin > max_seconds:
                break
            self.redo_setup()
            with collector_off():
                samples.extend(self.func(*param))
        return {"samples": samples, "number": 1}


def _do_nothing() -> None:
    """What most suites do between two timed calls."""


BENCHMARK_TYPES = (_TimedRun, _RecordedRun)
