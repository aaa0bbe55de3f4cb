"""Which value stands for a process: chosen by what the case does, once for both sides of a comparison.

Measured by calibration.process_values (explanation/statistics.md). Whatever disturbs a process only ever adds, so
the minimum is the steadiest. A case that computes is told best by its least CPU time, for other processes on the core
lengthen wall time. One that waits spends no CPU time while it does: its least wall time stands for it. A minimum hides
what only sometimes takes longer, so median and 95th percentile are shown beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from windtunnel.model.measure import ProcessValues

MIN_CPU_SHARE = 0.95
"""CPU / wall of a process's least disturbed value from which it computes: CPU time then hides less waiting than the
usual threshold of 5 %. The least disturbed value, because on busy cores the others look like waiting."""

TAIL_QUANTILE = 0.95
"""Quantile that is shown beside the verdict, so that a longer tail is seen though it does not decide."""


class ProcessStatistic(StrEnum):
    """What stands for a process."""

    CPU_MINIMUM = "CPU minimum"
    WALL_MINIMUM = "wall minimum"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessTimings:
    """One process: wall seconds of each value, and CPU seconds of the thread that is timed where taken (else empty).

    A thread that leaves the work to others waits for them, so wall time stands for what computes in several threads.
    """

    wall: tuple[float, ...]
    cpu: tuple[float, ...] = ()


def statistic(baseline: Sequence[ProcessTimings], contender: Sequence[ProcessTimings]) -> ProcessStatistic:
    """Return what stands for every process of a case: CPU time only where it is known and neither side waits."""
    if not baseline or not contender or not all(one.cpu for one in (*baseline, *contender)):
        return ProcessStatistic.WALL_MINIMUM
    shares = [float(np.median([_share(one) for one in side])) for side in (baseline, contender)]
    return ProcessStatistic.CPU_MINIMUM if min(shares) >= MIN_CPU_SHARE else ProcessStatistic.WALL_MINIMUM


def processes(timings: Sequence[ProcessTimings], by: ProcessStatistic) -> ProcessValues:
    """Return the processes of one side as a trial has them; medians and tails are of wall time, whatever decides."""
    return ProcessValues(
        values=tuple(_value(one, by) for one in timings),
        medians=tuple(float(np.median(one.wall)) for one in timings),
        p95s=tuple(float(np.quantile(one.wall, TAIL_QUANTILE)) for one in timings),
    )


def _share(one: ProcessTimings) -> float:
    return max(cpu / max(wall, 1e-12) for wall, cpu in zip(one.wall, one.cpu, strict=True))


def _value(one: ProcessTimings, by: ProcessStatistic) -> float:
    match by:
        case ProcessStatistic.CPU_MINIMUM:
            return min(one.cpu)
        case ProcessStatistic.WALL_MINIMUM:
            return min(one.wall)
