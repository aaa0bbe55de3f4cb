"""Processes are collected by case, arm and stage, and one value stands for each."""

import pytest
from builders.processes import a_comparable_case, a_process

from windtunnel.compare.schedule import ProcessCollection, choose_statistic, process_values
from windtunnel.model.schedule import AA, COMPARISON, STAGES, Arm

COMPUTING = a_process(wall=(1.0, 1.5, 1.1), cpu=(0.99, 1.0, 0.98))
WAITING = a_process(wall=(1.0, 1.5, 1.1), cpu=(0.1, 0.1, 0.1))


def collected(*processes):
    """A collection with *processes*."""
    found = ProcessCollection(machine="m")
    found.add(processes)
    return found


@pytest.mark.parametrize(
    ("baseline", "contender", "chosen"),
    [
        ([COMPUTING], [COMPUTING], "cpu_minimum"),
        ([WAITING], [WAITING], "wall_minimum"),
        ([COMPUTING] * 3, [COMPUTING, COMPUTING, WAITING], "cpu_minimum"),
        ([COMPUTING], [a_process(wall=(1.0,))], "wall_minimum"),
        ([COMPUTING], [a_process(wall=(4.0,), cpu=(1.0,), queued=(2.98,))], "cpu_minimum"),
        ([COMPUTING], [a_process(wall=(4.0,), cpu=(1.0,), queued=(2.5,))], "wall_minimum"),
        ([a_process(wall=(0.0,), cpu=(0.0,))], [COMPUTING], "wall_minimum"),
        ([], [COMPUTING], "wall_minimum"),
    ],
)
def test_cpu_time_stands_for_a_process_only_if_both_arms_compute(baseline, contender, chosen):
    """The choice applies to all processes of both arms."""
    assert choose_statistic(baseline, contender) is chosen


def test_a_head_that_starts_to_wait_is_compared_by_wall_time():
    """CPU time would hide the time that head waits."""
    waiting = a_process(wall=(1.2, 1.3, 1.2), cpu=COMPUTING.cpu)
    assert choose_statistic([COMPUTING], [waiting]) == "wall_minimum"


@pytest.mark.parametrize(("statistic", "value"), [("cpu_minimum", 0.98), ("wall_minimum", 1.0)])
def test_median_and_95th_percentile_are_of_wall_time(statistic, value):
    """They are recorded whichever statistic decides."""
    found = process_values([COMPUTING], statistic)
    assert found.values == (value,)
    assert found.medians == (1.1,)
    assert found.p95s == pytest.approx((1.46,))


def test_the_median_sample_is_known_in_loops():
    """Only of CPU time, which the loop beside it has too, and only if every process knows it."""
    probed = a_process(wall=(1.0, 1.5, 1.1), cpu=(1.0, 1.5, 1.1), probe=(0.1, 0.25, 0.1))
    assert process_values([probed, probed], "cpu_minimum").in_loops == pytest.approx((10.0, 10.0))
    assert process_values([probed], "wall_minimum").in_loops == ()
    for unknown in (COMPUTING, a_process(cpu=(1.0,), probe=(0.0,))):
        assert process_values([probed, unknown], "cpu_minimum").in_loops == ()


def test_samples_have_one_value_per_process():
    """It is the minimum CPU time if the case computes."""
    one = a_process(Arm.BASE, (1.0, 1.2), cpu=(0.99, 1.19))
    other = a_process(Arm.HEAD, (2.0, 2.2), cpu=(1.99, 2.19))
    (only,) = collected(one, other).samples(a_comparable_case(), COMPARISON).stage_samples
    assert only.baseline.values == (0.99,)
    assert only.contender.values == (1.99,)
    assert only.machine == "m"


def test_screening_and_confirmation_have_separate_samples():
    """The data that finds a suspect does not confirm it."""
    found = collected(*(a_process(arm, (1.0,), stage=stage) for stage in STAGES for arm in COMPARISON))
    assert [one.stage for one in found.samples(a_comparable_case(), COMPARISON).stage_samples] == [*STAGES]


def test_a_benchmark_without_samples_has_one_value_per_process():
    """A count is its own value."""
    found = collected(a_process(Arm.BASE, value=3.0), a_process(Arm.HEAD, value=4.0))
    (only,) = found.samples(a_comparable_case(), COMPARISON).stage_samples
    assert (only.baseline.values, only.contender.values) == ((3.0,), (4.0,))


def test_an_incomplete_round_does_not_count():
    """An interruption may leave one arm without the other."""
    found = collected(a_process(Arm.BASE), a_process(Arm.HEAD), a_process(Arm.BASE))
    (only,) = found.samples(a_comparable_case(), COMPARISON).stage_samples
    assert (len(only.baseline.values), len(only.contender.values)) == (1, 1)


def test_processes_of_the_aa_comparison_are_not_samples_of_head():
    """A failure in the A/A comparison does not end the case either."""
    found = collected(a_process(Arm.AA_BASELINE), a_process(Arm.AA_CONTENDER, reason="gone"))
    assert found.samples(a_comparable_case(), COMPARISON).stage_samples == ()
    assert found.without_value(a_comparable_case(), COMPARISON) == {}
    assert found.without_value(a_comparable_case(), AA)[Arm.AA_CONTENDER].reason == "gone"


def test_a_process_without_a_value_is_found_by_its_arm():
    """The report states the commit and the reason."""
    skipped = a_process(Arm.HEAD, state="skipped", reason="no library")
    found = collected(a_process(Arm.BASE), skipped)
    assert found.without_value(a_comparable_case(), COMPARISON) == {Arm.HEAD: skipped}
