"""Shards of a comparison: one judgement, as if nothing had been cut."""

import pytest
from builders.samples import a_context, paired_samples, stage_samples_of
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.format import Budget, ComparedMachine, FalseAlarms, NotCompared, Rules, Verdict
from windtunnel.compare.shards import merge_shards
from windtunnel.errors import DataError
from windtunnel.model.schedule import Stage

TRIALS = tuple(paired_samples(f"t{index}", 1 + index / 60, seed=index, fresh=1 + index / 60) for index in range(10))


def test_shards_come_together_as_if_nothing_had_been_cut():
    """Error control after the merge: the same verdicts, whatever the cut."""
    whole = decide(a_context(), TRIALS)
    for cut in (1, 5, 9):
        parts = [decide(a_context(), TRIALS[:cut]), decide(a_context(), TRIALS[cut:])]
        assert merge_shards(parts) == whole
        assert merge_shards(parts[::-1]) == whole


def test_a_shard_given_twice_counts_once():
    """Its A/A arm, its processes and its seconds as well."""
    part = decide(a_context(aa=FalseAlarms(comparisons=3, alarms=1), budget=Budget(seconds=2.0, processes=7)), TRIALS)
    assert merge_shards([part, part]) == part


def test_a_verdict_may_change_when_its_shard_comes_home():
    """Alone it was significant; among all it is not: the family is the whole suite."""
    rules = Rules(confirm=False)
    weak = paired_samples("weak", 1.1, rounds=6, spread=0.012)
    crowd = tuple(paired_samples(f"suite.time_{index}", seed=index) for index in range(300))
    alone, others = decide(a_context(rules=rules), [weak]), decide(a_context(rules=rules), crowd)
    assert alone.having(Verdict.REGRESSED)
    assert not [one for one in merge_shards([alone, others]).having(Verdict.REGRESSED) if one.benchmark == "weak"]


def test_confirmation_joins_the_screening_it_came_from():
    """Equal passes count once, fresh ones are added."""
    screening = replace(TRIALS[-1], stage_samples=TRIALS[-1].at(Stage.SCREENING))
    suspected, confirmed = decide(a_context(), [screening]), decide(a_context(), [TRIALS[-1]])
    assert merge_shards([suspected, confirmed]) == merge_shards([confirmed, suspected, confirmed]) == confirmed


def test_a_case_screened_twice_is_refused():
    """Its looks could not be counted."""
    other = replace(TRIALS[0], stage_samples=(stage_samples_of([1, 2, 3], [1, 2, 3]),))
    with pytest.raises(DataError, match="two shards"):
        merge_shards([decide(a_context(), [TRIALS[0]]), decide(a_context(), [other])])


@pytest.mark.parametrize("change", [{"base": "c" * 40}, {"head": "c" * 40}, {"rules": Rules(confirm=False)}])
def test_verdicts_of_different_comparisons_do_not_merge(change):
    """Other commits, other rules."""
    with pytest.raises(DataError, match=next(iter(change))):
        merge_shards([decide(a_context(), TRIALS), decide(a_context(**change), TRIALS)])


def test_nothing_is_no_comparison():
    """The message says what to name."""
    with pytest.raises(DataError, match="at least one"):
        merge_shards([])


def test_what_surrounds_the_verdicts_is_joined():
    """Machines once each, sums of budgets and false alarms; what one shard compared did not fail."""
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


def test_a_judgement_can_be_judged_again():
    """verdict.json is its own evidence."""
    whole = decide(a_context(), TRIALS)
    assert decide(a_context(), tuple(one.samples() for one in whole.comparisons)) == whole
