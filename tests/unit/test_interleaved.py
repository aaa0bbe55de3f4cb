"""From cases to turns, and from processes to trials."""

import random

from builders.turns import a_process, an_entrant

from windtunnel.compare.schedule import Collection, round_of
from windtunnel.model.measure import Stage
from windtunnel.model.run_format import State
from windtunnel.model.schedule import ALIKE, COMPARISON, Seat


def collected(*processes):
    found = Collection(machine="m")
    found.add(processes)
    return found


def test_a_round_has_both_commits_of_a_case_side_by_side():
    """Whatever drifts within a round hits both alike."""
    who = [(an_entrant(f"suite.time_{number}"), Stage.SCREENING, COMPARISON) for number in range(20)]
    turns = round_of(who, random.Random(1))
    pairs = list(zip(turns[::2], turns[1::2], strict=True))
    assert all(one.benchmark == other.benchmark for one, other in pairs)
    assert all({one.seat, other.seat} == {*COMPARISON} for one, other in pairs)


def test_either_commit_may_begin_and_cases_change_places():
    """No case is always first, no commit always second."""
    who = [(an_entrant(f"suite.time_{number}"), Stage.SCREENING, COMPARISON) for number in range(20)]
    rng = random.Random(1)
    one, other = round_of(who, rng), round_of(who, rng)
    assert {turn.seat for turn in one[::2]} == {*COMPARISON}
    assert [turn.benchmark for turn in one] != [turn.benchmark for turn in other]


def test_the_arm_of_equals_runs_base_on_both_seats():
    """Whatever it finds is false."""
    turns = round_of([(an_entrant(), Stage.SCREENING, ALIKE)], random.Random(1))
    assert {turn.seat.commit for turn in turns} == {"base"}
    assert len({turn.seat for turn in turns}) == 2


def test_a_trial_has_a_value_a_process():
    """The least CPU time where the case computes."""
    one = a_process(Seat.BASE, (1.0, 1.2), cpu=(0.99, 1.19))
    other = a_process(Seat.HEAD, (2.0, 2.2), cpu=(1.99, 2.19))
    (only,) = collected(one, other).trial(an_entrant(), COMPARISON).passes
    assert only.baseline.values == (0.99,)
    assert only.contender.values == (1.99,)
    assert only.machine == "m"


def test_stages_are_passes_of_their_own():
    """What was measured to find a suspect does not convict it."""
    found = collected(
        *(a_process(seat, (1.0,), stage=stage) for stage in Stage for seat in COMPARISON),
    )
    assert [one.stage for one in found.trial(an_entrant(), COMPARISON).passes] == [*Stage]


def test_counts_stand_for_themselves():
    """A benchmark without samples has one value a process."""
    found = collected(a_process(Seat.BASE, value=3.0), a_process(Seat.HEAD, value=4.0))
    (only,) = found.trial(an_entrant(), COMPARISON).passes
    assert (only.baseline.values, only.contender.values) == ((3.0,), (4.0,))


def test_half_a_round_does_not_count():
    """An interruption may leave one side without the other."""
    found = collected(a_process(Seat.BASE), a_process(Seat.HEAD), a_process(Seat.BASE))
    (only,) = found.trial(an_entrant(), COMPARISON).passes
    assert (len(only.baseline.values), len(only.contender.values)) == (1, 1)


def test_the_arms_do_not_mix():
    """Processes of the A/A arm say nothing of head."""
    found = collected(a_process(Seat.ALIKE), a_process(Seat.ALIKE_TOO, reason="gone"))
    assert found.trial(an_entrant(), COMPARISON).passes == ()
    assert found.stopped(an_entrant(), COMPARISON) == {}
    assert found.stopped(an_entrant(), ALIKE)[Seat.ALIKE_TOO].reason == "gone"


def test_a_case_that_gives_no_value_has_stopped():
    """On which commit and why is kept."""
    skipped = a_process(Seat.HEAD, state=State.SKIPPED, reason="no library")
    assert collected(a_process(Seat.BASE), skipped).stopped(an_entrant(), COMPARISON) == {Seat.HEAD: skipped}
