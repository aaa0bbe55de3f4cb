"""Which value stands for a process."""

import pytest

from windtunnel.compare.samples import ProcessStatistic, ProcessTimings, processes, statistic

COMPUTING = ProcessTimings(wall=(1.0, 1.5, 1.1), cpu=(0.99, 1.0, 0.98))
WAITING = ProcessTimings(wall=(1.0, 1.5, 1.1), cpu=(0.1, 0.1, 0.1))


@pytest.mark.parametrize(
    ("baseline", "contender", "chosen"),
    [
        ([COMPUTING], [COMPUTING], ProcessStatistic.CPU_MINIMUM),
        ([WAITING], [WAITING], ProcessStatistic.WALL_MINIMUM),
        ([COMPUTING] * 3, [COMPUTING, COMPUTING, WAITING], ProcessStatistic.CPU_MINIMUM),
        ([COMPUTING], [ProcessTimings(wall=(1.0,))], ProcessStatistic.WALL_MINIMUM),
        ([ProcessTimings(wall=(0.0,), cpu=(0.0,))], [COMPUTING], ProcessStatistic.WALL_MINIMUM),
        ([], [COMPUTING], ProcessStatistic.WALL_MINIMUM),
    ],
)
def test_what_the_case_does_decides(baseline, contender, chosen):
    """One choice for all processes of both sides."""
    assert statistic(baseline, contender) is chosen


def test_a_change_that_only_waits_is_not_hidden_by_cpu_time():
    """Head computes as before and then sleeps: wall time has to decide."""
    sleeping = ProcessTimings(wall=(1.2, 1.3, 1.2), cpu=COMPUTING.cpu)
    assert statistic([COMPUTING], [sleeping]) is ProcessStatistic.WALL_MINIMUM


@pytest.mark.parametrize(("by", "value"), [(ProcessStatistic.CPU_MINIMUM, 0.98), (ProcessStatistic.WALL_MINIMUM, 1.0)])
def test_median_and_tail_are_shown_beside_it(by, value):
    """A tail that grows is seen although it does not decide."""
    found = processes([COMPUTING], by)
    assert found.values == (value,)
    assert found.medians == (1.1,)
    assert found.p95s == pytest.approx((1.46,))
