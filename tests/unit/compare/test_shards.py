"""Shards are merged into the report on the whole comparison."""

import pytest
from builders.samples import a_cause, a_context, paired_samples, stage_samples_of, uncounted, work_samples
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.format import Budget, ComparedMachine, FalseAlarms, NotCompared
from windtunnel.compare.runners import merge_shards
from windtunnel.compare.samples_format import Rules
from windtunnel.compare.summary import recommended_action
from windtunnel.errors import DataError

TRIALS = tuple(paired_samples(f"t{index}", 1 + index / 60, seed=index, fresh=1 + index / 60) for index in range(10))


def test_merged_shards_equal_the_whole_comparison():
    """Error control follows the merge, so the division into shards does not matter."""
    whole = decide(a_context(), TRIALS)
    for cut in (1, 5, 9):
        parts = [decide(a_context(), TRIALS[:cut]), decide(a_context(), TRIALS[cut:])]
        assert merge_shards(parts) == whole
        assert merge_shards(parts[::-1]) == whole


def test_a_repeated_shard_counts_once():
    """Its false alarms, processes and seconds count once as well."""
    part = decide(a_context(aa=FalseAlarms(comparisons=3, alarms=1), budget=Budget(seconds=2.0, processes=7)), TRIALS)
    assert merge_shards([part, part]) == part


def test_a_merge_may_remove_an_alarm():
    """The family of tests is the whole suite, so a weak change may lose its significance."""
    weak = paired_samples("weak", 1.3, fresh=1.1, spread=0.03)
    crowd = tuple(paired_samples(f"suite.time_{index}", 1.3, fresh=1.0, seed=index) for index in range(300))
    alone, others = decide(a_context(), [weak]), decide(a_context(), crowd)
    assert alone.having("regressed")
    assert not [one for one in merge_shards([alone, others]).having("regressed") if one.benchmark == "weak"]


def test_confirmation_is_joined_with_its_screening():
    """Equal samples count once, and fresh ones are added."""
    screening = replace(TRIALS[-1], stage_samples=TRIALS[-1].at("screening"))
    suspected, confirmed = decide(a_context(), [screening]), decide(a_context(), [TRIALS[-1]])
    assert merge_shards([suspected, confirmed]) == merge_shards([confirmed, suspected, confirmed]) == confirmed


def test_counts_and_causes_survive_a_merge():
    """They come from the shard that counted, whichever is first; a reason gives way to counts, and decides nothing."""
    cause, work = a_cause(), work_samples(1.3)
    for other in (None, uncounted("the time limit was reached")):
        screened = decide(a_context(), [replace(TRIALS[-1], work=other)])
        counted = decide(a_context(), [replace(TRIALS[-1], work=work, cause=cause)])
        for merged in (merge_shards([screened, counted]), merge_shards([counted, screened])):
            assert merged == merge_shards([merged]) == counted
            assert (merged.comparisons[0].work, merged.comparisons[0].cause) == (work, cause)
    assert merge_shards([screened]).comparisons[0].instructions.reason == "the time limit was reached"


def test_a_case_screened_in_two_shards_is_refused():
    """Its interim analyses could not be counted."""
    other = replace(TRIALS[0], stage_samples=(stage_samples_of([1, 2, 3], [1, 2, 3]),))
    with pytest.raises(DataError, match="two shards"):
        merge_shards([decide(a_context(), [TRIALS[0]]), decide(a_context(), [other])])


@pytest.mark.parametrize("change", [{"base": "c" * 40}, {"head": "c" * 40}, {"rules": Rules().until(7)}])
def test_reports_of_different_comparisons_are_refused(change):
    """They have other commits or other rules."""
    with pytest.raises(DataError, match=next(iter(change))):
        merge_shards([decide(a_context(), TRIALS), decide(a_context(**change), TRIALS)])


def test_a_merge_needs_a_report():
    """The message states what to name."""
    with pytest.raises(DataError, match="at least one"):
        merge_shards([])


def test_machines_budgets_and_false_alarms_are_merged():
    """Machines are listed once; a case that one shard compared did not fail."""
    missing = NotCompared(benchmark="t0", reason="timeout")
    gone = NotCompared(benchmark="gone")
    one = decide(
        a_context(
            machines=(ComparedMachine(name="m"),),
            budget=Budget(seconds=2, processes=3),
            aa=FalseAlarms(comparisons=4, alarms=1),
            failed=(missing,),
            removed=(gone,),
        ),
        TRIALS[5:],
    )
    two = decide(replace(a_context(), machines=one.machines, removed=(gone,), aa=one.aa), TRIALS[:5])
    found = merge_shards([one, two])
    assert found.machines == one.machines
    assert found.budget == Budget(seconds=2, processes=3)
    assert found.aa == FalseAlarms(comparisons=8, alarms=2)
    assert found.failed == ()
    assert found.removed == (gone,)


def test_a_report_can_be_decided_again():
    """verdict.json contains all samples."""
    whole = decide(a_context(), TRIALS)
    assert decide(a_context(), tuple(one.samples() for one in whole.comparisons)) == whole


def test_a_part_that_measured_nothing_adds_only_its_notes():
    """What was decided beforehand does not hide that both commits build the same artifact."""
    prepared = decide(a_context(notes=("the deadline is too short",)), [])
    measured = decide(a_context(same_artifact=True, budget=Budget(seconds=1.0)), [])
    merged = merge_shards([prepared, measured])
    assert (merged.overall, merged.notes) == ("same_artifact", prepared.notes)


def test_the_reason_for_not_measuring_survives_the_merge():
    """A workflow may merge the only verdict that it has."""
    prepared = decide(a_context(unmeasured="irrelevant"), [])
    assert merge_shards([prepared]) == prepared
    measured = decide(a_context(budget=Budget(seconds=1.0)), TRIALS)
    assert merge_shards([prepared, measured]).unmeasured is None


def test_a_merge_of_nothing_measured_asks_for_the_parts():
    """There are no reasons to refer to; a case that failed is one."""
    prepared = a_context(machines=(), unmeasured=None)
    assert "compare --shard" in recommended_action(merge_shards([decide(prepared, ())]))
    failed = replace(
        prepared, failed=(NotCompared(benchmark="suite.time_it", params=(), environment="py", reason="no"),)
    )
    assert "errors are below" in recommended_action(merge_shards([decide(failed, ())]))
