"""Runs inside the processes of benchmarks: measures CPU time beside each sample, reads the owner's threshold.

asv_runner imports any distribution whose name begins with ``asv_bench``; `windtunnel.asv.launcher` writes this file as
one, so nothing has to be installed beside the project. It imports only asv_runner and the standard library.
"""

import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from asv_runner.benchmarks import _base
from asv_runner.benchmarks import time as timing

TIMES_FILE = "windtunnel_times_file"
"""Attribute of one process: the file for the seconds of its samples, as ``{"cpu": [...], "queued": [...], ...}``.

``timed`` is how long the benchmark ran in all, warm-up included. ``queued`` is how long other programs had the
processor while the thread could compute. ``own`` is the wall time before a built-in slowdown; empty without one.
``probe`` is the CPU time of the same loop beside each sample: how fast the processor was just then.
"""

PROBE_TURNS = 4_000
"""Turns of that loop: 0.1 ms, far above the resolution of the clock."""

PROBE_AGE = 0.001
"""Seconds after which the loop runs again: processors change their speed more slowly."""

SLOWDOWN = "windtunnel_slowdown"
"""Attribute of one process: the share by which everything that is timed takes longer, such as 0.05."""

MIN_SLOWED_SECONDS = 0.0001
"""Shorter regions cannot be extended by an exact share: reading both clocks takes half a microsecond."""

DEFAULTS = "windtunnel_defaults"
"""Attribute of one process: the values of timing attributes that the suite does not set."""

ASV_DEFAULTS = {"repeat": 0, "warmup_time": -1}
"""Values with which a suite asks for asv's default."""

END_WITH_PARENT = "WINDTUNNEL_ENDS_WITH_ITS_PARENT"
"""Environment variable: the process ID of the parent with which this process ends."""

OWN = "windtunnel_threshold"
"""Attribute of a benchmark, or of its class or module: the smallest relative change that matters."""

export_as_benchmark: list[type] = []
"""asv_runner reads it from each plugin; this one adds no benchmark type."""


class CpuClock:
    """asv's clock, which also records the CPU time at each reading, and how long the thread waited for a processor."""

    def __init__(self) -> None:
        """Start without readings."""
        self.marks: list[tuple[float, float, float]] = []
        self.own: list[float] = []
        """Wall seconds between each two readings, before a built-in slowdown; empty without one."""
        self.probes: list[float] = []
        """What the loop took last at each reading."""
        self.probed = -math.inf

    def __call__(self) -> float:
        """Return wall seconds."""
        is_end = len(self.marks) % 2  # the file is read outside of what is timed, and so the loop runs
        if not is_end:
            self._probe()
        queued = 0.0 if is_end else _queued_seconds()
        cpu = time.thread_time()  # of this thread only: numpy's threads spin after their start
        wall = float(timing.wall_timer())
        self.marks.append((wall, cpu, _queued_seconds() if is_end else queued))
        if is_end:
            self._probe()
        return wall

    def _probe(self) -> None:
        """Note how long the loop takes, or took within PROBE_AGE."""
        if timing.wall_timer() - self.probed > PROBE_AGE:
            began, turns = time.thread_time(), 0
            while turns < PROBE_TURNS:
                turns += 1
            self.probes.append(time.thread_time() - began)
            self.probed = timing.wall_timer()
        else:
            self.probes.append(self.probes[-1])

    def times_of(self, samples: list[float], number: int) -> dict[str, list[float]] | None:
        """Return what TIMES_FILE states about *samples*, each of *number* calls, which this clock timed last.

        asv reads the clock before and after each sample, or each call when a setup runs between calls. The reading
        that reproduces *samples* is used. None when neither does: a CPU time must never go to the wrong sample.
        """
        for pairs in {1, number}:
            marks = self.marks[len(self.marks) - 2 * pairs * len(samples) :]
            spans = [
                tuple(end - start for start, end in zip(before, after, strict=True))
                for before, after in zip(marks[::2], marks[1::2], strict=False)
            ]
            parts = [spans[index : index + pairs] for index in range(0, len(spans), pairs)]
            walls, cpus, queued = ([sum(span[column] for span in part) for part in parts] for column in range(3))
            if len(walls) == len(samples) and all(map(math.isclose, walls, samples)):
                own, probes = self.own[-len(spans) :], self.probes[-2 * len(spans) :]
                if own and sorted(own)[len(own) // 2] < MIN_SLOWED_SECONDS:
                    own = []
                return {
                    "cpu": [seconds / number for seconds in cpus],
                    "queued": [seconds / number for seconds in queued],
                    "own": [sum(own[index : index + pairs]) / number for index in range(0, len(own), pairs)],
                    "probe": [(probes[at] + probes[at + 2 * pairs - 1]) / 2 for at in range(0, len(probes), 2 * pairs)],
                    "timed": [sum(end[0] - start[0] for start, end in zip(*[iter(self.marks)] * 2, strict=False))],
                }
        return None


class SlowClock(CpuClock):
    """A clock that makes everything it times take longer: the timed thread computes before the second reading."""

    def __init__(self, share: float) -> None:
        """Extend everything by *share* of its own time."""
        super().__init__()
        self.share = share

    def __call__(self) -> float:
        """Return wall seconds; before each second reading, compute for the share of the time since the first.

        Both wall time and the thread's CPU time are extended by the share at least, whatever other processes take. A
        sample that they do not disturb is extended by exactly the share, and the minimum of a process is such a one.
        """
        if len(self.marks) % 2:
            cpu, wall = time.thread_time(), timing.wall_timer()
            wall_before, cpu_before, _ = self.marks[-1]
            own, computed = wall - wall_before, cpu - cpu_before
            self.own.append(own)
            _compute_until(timing.wall_timer, wall + self.share * own)
            _compute_until(time.thread_time, cpu + self.share * computed)
        return super().__call__()


def _queued_seconds() -> float:
    """Return how long this thread has waited for a processor; 0 where the system does not say (Linux does)."""
    try:
        with open("/proc/thread-self/schedstat", "rb", buffering=0) as file:  # noqa: PTH123 - faster, beside what is timed
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def _compute_until(clock: Callable[[], float], end: float) -> None:
    while clock() < end:
        pass


def _first(benchmark: Any, attribute: str) -> Any:
    """Return an attribute from asv's command line, the benchmark, its class or its module; None without one."""
    return _base._get_first_attr(benchmark._attr_sources, attribute, None)  # noqa: SLF001 - asv_runner has no public way


def _end_with(parent: int) -> None:
    """Ask Linux to kill this process when its *parent* ends: PR_SET_PDEATHSIG of prctl(2).

    A parent that ended before this call sends no signal, so this process then ends itself.
    """
    import ctypes  # noqa: PLC0415 - only a server needs it, benchmarks should not pay for it

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _child_ends_with(server: int) -> Callable[[], None]:
    """Return a callback that makes children of *server* end with it; prctl settings are not inherited."""

    def forked() -> None:
        if os.getppid() == server:
            _end_with(server)

    return forked


def _with_own_attribute(initialise: Any) -> Any:
    def wrapped(self: Any, name: str, func: Any, attr_sources: Any) -> None:
        initialise(self, name, func, attr_sources)
        own = _first(self, OWN)
        if own is not None:
            setattr(self, OWN, _plain(own))

    return wrapped


def _plain(own: object) -> float | str:
    """Return a number unchanged, anything else as text that a message can quote; discovery keeps plain values."""
    if isinstance(own, int | float) and not isinstance(own, bool) and math.isfinite(own):
        return float(own)
    return repr(own)


def _with_defaults(benchmark: Any) -> None:
    """Set the attributes that the suite does not set; a setup may have set them before. A JIT keeps asv's warm-up."""
    for name, value in (_first(benchmark, DEFAULTS) or {}).items():
        keeps_asvs = name == "warmup_time" and sys.implementation.name != "cpython"
        if _first(benchmark, name) in (None, ASV_DEFAULTS.get(name)) and not keeps_asvs:
            setattr(benchmark, name, value)


def _with_clock(load: Any) -> Any:
    def wrapped(self: Any) -> None:
        load(self)  # asv calls it before every sample with a setup: keep the same clock
        _with_defaults(self)
        if self.timer is timing.wall_timer and _first(self, TIMES_FILE):
            share = _first(self, SLOWDOWN)
            self.timer = self.__dict__.setdefault("_windtunnel_clock", SlowClock(share) if share else CpuClock())

    return wrapped


def _with_cpu_time(measure: Any) -> Any:
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        samples, number = measure(self, *args, **kwargs)
        clock = getattr(self, "timer", None)  # a timeraw benchmark has none: it times another process
        times = clock.times_of(samples, number) if isinstance(clock, CpuClock) else None
        if times is not None:
            Path(_first(self, TIMES_FILE)).write_text(json.dumps(times), encoding="utf-8")
        return samples, number

    return wrapped


_base.Benchmark.__init__ = _with_own_attribute(_base.Benchmark.__init__)
timing.TimeBenchmark._load_vars = _with_clock(timing.TimeBenchmark._load_vars)  # noqa: SLF001 - asv_runner's
timing.TimeBenchmark.benchmark_timing = _with_cpu_time(timing.TimeBenchmark.benchmark_timing)
if (starter := os.environ.pop(END_WITH_PARENT, "")) and hasattr(os, "fork"):
    _end_with(int(starter))
    os.register_at_fork(after_in_child=_child_ends_with(os.getpid()))
