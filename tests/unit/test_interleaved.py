"""From cases to turns, and from processes to trials."""

import random

from builders.processes import a_comparable_case, a_process

from windtunnel.compare.schedule import ProcessCollection, schedule_round
from windtunnel.model.measure import Stage
from windtunnel.model.run_format import CaseState
from windtunnel.model.schedule import AA, COMPARISON, Arm


def collected(*processes):
    found = ProcessCollection(machine="m")
    found.add(processes)
    return found


def test_a_round_has_both_commits_of_a_case_side_by_side():
    """Whatever drifts within a round hits both alike."""
    who = [(a_comparable_case(f"suite.time_{number}"), Stage.SCREENING, COMPARISON) for number in range(20)]
    processes = schedule_round(who, random.Random(1))
    pairs = list(zip(processes[::2], processes[1::2], strict=True))
    assert all(one.benchmark == other.benchmark for one, other in pairs)
    assert all({one.arm, other.arm} == {*COMPARISON} for one, other in pairs)


def test_either_commit_may_begin_and_cases_change_places():
    """No case is always first, no commit always second."""
    who = [(a_comparable_case(f"suite.time_{number}"), Stage.SCREENING, COMPARISON) for number in range(20)]
    rng = random.Random(1)
    one, other = schedule_round(who, rng), schedule_round(who, rng)
    assert {scheduled.arm for scheduled in one[::2]} == {*COMPARISON}
    assert [scheduled.benchmark for scheduled in one] != [scheduled.benchmark for scheduled in other]


def test_the_arm_of_equals_runs_base_on_both_seats():
    """Whatever it finds is false."""
    processes = schedule_round([(a_comparable_case(), Stage.SCREENING, AA)], random.Random(1))
    assert {scheduled.arm.commit for scheduled in processes} == {"base"}
    assert len({scheduled.arm for scheduled in processes}) == 2


def test_a_trial_has_a_value_a_process():
    """The least CPU time where the case computes."""
    one = a_process(Arm.BASE, (1.0, 1.2), cpu=(0.99, 1.19))
    other = a_process(Arm.HEAD, (2.0, 2.2), cpu=(1.99, 2.19))
    (only,) = collected(one, other).paired(a_comparable_case(), COMPARISON).stage_samples
    assert only.baseline.values == (0.99,)
    assert only.contender.values == (1.99,)
    assert only.machine == "m"


def test_stages_are_passes_of_their_own():
    """What was measured to find a suspect does not convict it."""
    found = collected(
        *(a_process(arm, (1.0,), stage=stage) for stage in Stage for arm in COMPARISON),
    )
    assert [one.stage for one in found.paired(a_comparable_case(), COMPARISON).stage_samples] == [*Stage]


def test_counts_stand_for_themselves():
    """A benchmark without samples has one value a process."""
    found = collected(a_process(Arm.BASE, value=3.0), a_process(Arm.HEAD, value=4.0))
    (only,) = found.paired(a_comparable_case(), COMPARISON).stage_samples
    assert (only.baseline.values, only.contender.values) == ((3.0,), (4.0,))


def test_half_a_round_does_not_count():
    """An interruption may leave one side without the other."""
    found = collected(a_process(Arm.BASE), a_process(Arm.HEAD), a_process(Arm.BASE))
    (only,) = found.paired(a_comparable_case(), COMPARISON).stage_samples
    assert (len(only.baseline.values), len(only.contender.values)) == (1, 1)


def test_the_arms_do_not_mix():
    """Processes of the A/A arm say nothing of head."""
    found = collected(a_process(Arm.AA_BASELINE), a_process(Arm.AA_CONTENDER, reason="gone"))
    assert found.paired(a_comparable_case(), COMPARISON).stage_samples == ()
    assert found.stopped(a_comparable_case(), COMPARISON) == {}
    assert found.stopped(a_comparable_case(), AA)[Arm.AA_CONTENDER].reason == "gone"


def test_a_case_that_gives_no_value_has_stopped():
    """On which commit and why is kept."""
    skipped = a_process(Arm.HEAD, state=CaseState.SKIPPED, reason="no library")
    assert collected(a_process(Arm.BASE), skipped).stopped(a_comparable_case(), COMPARISON) == {Arm.HEAD: skipped}
