"""asv's timer for cases that are prepared once per process.

With a ``setup``, asv tears down and sets up again before *every* timed call. Here ``setup`` opens loops, pools and
connections that must be warm, so it runs once before the first call, and ``teardown`` once after the last, also when a
call raised: that is what asv's runner itself does around a benchmark that does not ask for more.
"""

import re
from time import monotonic
from typing import Any

from asv_runner.benchmarks import _base
from asv_runner.benchmarks import time as asv_time


class _PreparedOnce(asv_time.TimeBenchmark):  # type: ignore[misc]  # asv_runner ships no types
    """``time_run``: what asv's ``time_*`` is, without the repeated setup."""

    name_regex = re.compile(r"time_run\Z")
    _setup_isolates_timed_calls = False

    def __init__(self, name: str, func: Any, attr_sources: list[Any]) -> None:
        super().__init__(name, func, attr_sources)
        self._between = _base._get_first_attr(attr_sources, "between", _nothing)  # noqa: SLF001 - as asv's own types do

    def redo_setup(self) -> None:
        """What a suite wants done before each timed call, outside the clock; nothing is set up again."""
        self._between()


class _Recorded(_PreparedOnce):
    """``time_lag`` and the like: the values are what the runs recorded, not how long they took by asv's clock."""

    name_regex = re.compile(r"(time_lag|time_job|time_processor|time_server|peak_growth|peak_profile|count_switches)\Z")

    def __init__(self, name: str, func: Any, attr_sources: list[Any]) -> None:
        super().__init__(name, func, attr_sources)
        self.unit = _base._get_first_attr(attr_sources, "unit", "seconds")  # noqa: SLF001 - as asv's own types do
        by_unit = {"seconds": "time", "bytes": "peakmemory"}.get(self.unit, "track")
        self.type = "profile" if func.__name__ == "peak_profile" else by_unit  # samples in the order of time

    def run(self, *param: str) -> dict[str, Any]:
        """Call as often as asv would time a call, and keep all that each call returns."""
        samples: list[float] = []
        least, most, enough = (self.repeat, self.repeat, 0.0) if isinstance(self.repeat, int) else self.repeat
        begin = monotonic()
        for number in range(most):
            if number >= least and monotonic() - begin > enough:
                break
            self.redo_setup()
            samples.extend(self.func(*param))
        return {"samples": samples, "number": 1}


def _nothing() -> None:
    """What most suites do between two timed calls."""


PREPARED = (_PreparedOnce, _Recorded)
