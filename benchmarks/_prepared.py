"""asv's timer for cases that are prepared once per process.

With a ``setup``, asv tears down and sets up again before *every* timed call. Here ``setup`` opens loops, pools and
connections that must be warm, so it runs once before the first call, and ``teardown`` once after the last, also when a
call raised: that is what asv's runner itself does around a benchmark that does not ask for more.
"""

import re

from asv_runner.benchmarks import time as asv_time


class _PreparedOnce(asv_time.TimeBenchmark):  # type: ignore[misc]  # asv_runner ships no types
    """``time_run``: what asv's ``time_*`` is, without the repeated setup."""

    name_regex = re.compile(r"time_run\Z")
    _setup_isolates_timed_calls = False

    def redo_setup(self) -> None:
        """Between two timed calls nothing is set up."""


PREPARED = (_PreparedOnce,)
