"""The next rounds are those that a decision needs, and a round runs its processes in random order."""

import itertools
import random

import numpy as np
import pytest
from builders.processes import a_comparable_case, a_process
from builders.samples import a_context, exact_samples, paired_samples, stage_samples_of
from msgspec.structs import replace

from windtunnel.compare.decide import count_false_alarms, decide
from windtunnel.compare.effects import thresholds
from windtunnel.compare.format import FalseAlarms
from windtunnel.compare.samples_format import PairedSamples, Rules
from windtunnel.compare.schedule import MAX_FORKS, ProcessCollection, find_suspects, next_rounds, schedule_round
from windtunnel.compare.significance import analysis_levels
from windtunnel.model.schedule import AA, COMPARISON

RULES = Rules()
SCREENING, CONFIRMATION = RULES.screening.interim_analyses, RULES.confirmation.interim_analyses


def measured(paired, rng, stage, rounds, ratio, spread):
    """The samples after *rounds* more of *stage* on a machine with noise of *spread*."""
    noise = np.exp(rng.normal(0, spread, (2, rounds)))
    old = paired.at(stage)
    values = [
        (*(old[0].baseline.values if old else ()), *noise[0]),
        (*(old[0].contender.values if old else ()), *(noise[1] * ratio)),
    ]
    kept = tuple(one for one in paired.stage_samples if one.stage != stage)
    return replace(paired, stage_samples=(*kept, stage_samples_of(*values, stage=stage)))


def carried_out(ratios, *, spread, seed=0):
    """Samples that are measured as the steps request, and all steps."""
    rng, asked = np.random.default_rng(seed), []
    samples = [PairedSamples(benchmark=f"t{index}") for index in range(len(ratios))]
    while any((step := next_rounds(samples, RULES))[1]):
        asked.append(step)
        samples = [
            measured(paired, rng, step[0], rounds, ratio, spread) if rounds else paired
            for paired, rounds, ratio in zip(samples, step[1], ratios, strict=True)
        ]
    return samples, asked


CASES = [(a_comparable_case(f"suite.time_{number}"), "screening", COMPARISON) for number in range(20)]


def test_both_arms_of_a_case_run_in_direct_succession():
    """Drift within a round then affects both alike."""
    processes = schedule_round(CASES, random.Random(1))
    pairs = list(zip(processes[::2], processes[1::2], strict=True))
    assert all(one.benchmark == other.benchmark for one, other in pairs)
    assert all({one.arm, other.arm} == {*COMPARISON} for one, other in pairs)


def test_the_order_of_cases_and_arms_is_random():
    """No case is always first, and no commit is always second."""
    rng = random.Random(1)
    one, other = schedule_round(CASES, rng), schedule_round(CASES, rng)
    assert {scheduled.arm for scheduled in one[::2]} == {*COMPARISON}
    assert [scheduled.benchmark for scheduled in one] != [scheduled.benchmark for scheduled in other]


def test_both_arms_of_the_aa_comparison_run_base():
    """Every alarm of that comparison is false."""
    processes = schedule_round([(a_comparable_case(), "screening", AA)], random.Random(1))
    assert {scheduled.arm.commit for scheduled in processes} == {"base"}
    assert len({scheduled.arm for scheduled in processes}) == 2


FIRST, SECOND, THIRD, *_, LAST = SCREENING
FURTHER = RULES.screening.further_analyses[0]


@pytest.mark.parametrize(
    ("paired", "rounds"),
    [
        (PairedSamples(benchmark="b"), FIRST),
        (paired_samples(rounds=FIRST, spread=0.002), 0),
        (paired_samples(rounds=FIRST, spread=0.05), SECOND - FIRST),
        (paired_samples(rounds=FIRST + 1, spread=0.05), SECOND - FIRST - 1),
        (paired_samples(rounds=SECOND, spread=0.5), THIRD - SECOND),
        (paired_samples(rounds=THIRD, spread=0.5), 0),
        (paired_samples(rounds=LAST, spread=0.5), 0),
        (paired_samples(rounds=LAST, spread=0.012, threshold=0.01), FURTHER - LAST),
        (paired_samples(rounds=LAST, spread=0.1, threshold=0.03), 0),
    ],
    ids=[
        "nothing is measured",
        "decided",
        "undecided",
        "a round more than asked for",
        "noisy",
        "given up after the third analysis",
        "the last analysis",
        "a small threshold has further analyses",
        "a larger one has none",
    ],
)
def test_a_case_is_measured_until_its_next_analysis(paired, rounds):
    """It ends when it is decided, when the remaining rounds would not suffice, and after its last analysis."""
    assert next_rounds([paired], RULES) == ("screening" if rounds else "confirmation", (rounds,))


def test_where_time_is_left_a_noisy_case_is_measured_to_its_last_analysis():
    """Nothing is claimed of a case that was given up, so going on costs no error rate."""
    given_up, over = (paired_samples(rounds=number, spread=0.5) for number in (THIRD, LAST))
    assert next_rounds([given_up], RULES, patient=True) == ("screening", (SCREENING[3] - THIRD,))
    assert next_rounds([over], RULES, patient=True)[1] == (0,)


def test_confirmation_waits_until_all_cases_are_screened():
    """The number of suspects decides how strict confirmation is."""
    suspect, undecided = (
        paired_samples(ratio=1.5, rounds=SCREENING[0]),
        paired_samples("u", rounds=SCREENING[0], spread=0.05),
    )
    assert find_suspects([suspect, undecided], RULES) == (suspect,)
    assert next_rounds([suspect, undecided], RULES)[1][0] == 0
    assert next_rounds([suspect], RULES) == ("confirmation", (CONFIRMATION[0],))


def test_suspects_elsewhere_make_confirmation_longer():
    """One error rate for all shards."""
    paired = paired_samples(ratio=1.08, fresh=1.08, rounds=CONFIRMATION[0], spread=0.011)
    assert next_rounds([paired], RULES)[1] == (0,)
    assert next_rounds([paired], RULES, others=10_000)[1] != (0,)


def test_following_the_steps_ends_in_verdicts():
    """A real change is confirmed, no case exceeds its last analysis, and unchanged cases stop early."""
    samples, asked = carried_out([1.0] * 8 + [1.1, 0.9], spread=0.012)
    found = decide(a_context(), samples)
    assert [one.verdict for one in found.comparisons[-2:]] == ["regressed", "improved"]
    assert all(one.verdict == "unchanged" for one in found.comparisons[:-2])
    assert len(asked) <= len(SCREENING) + len(CONFIRMATION)
    assert all(one.at("screening")[0].rounds in SCREENING for one in samples)


def test_the_steps_provide_what_the_decision_needs():
    """No suspect is left without the data that the verdict asks for."""
    samples, _ = carried_out([1.0, 1.03, 1.06, 1.5], spread=0.02, seed=5)
    assert not any(
        one.notes and "not measured again" in one.notes[0] for one in decide(a_context(), samples).comparisons
    )


def test_false_alarms_are_counted_by_the_same_rules():
    """Regressions and improvements alike."""
    samples = [paired_samples("a"), paired_samples("b", 1.3, fresh=1.3), exact_samples("c", contender=50.0)]
    assert count_false_alarms(samples, RULES) == FalseAlarms(comparisons=3, alarms=2, suspects=tuple(samples[1:]))


def test_further_analyses_share_the_error_rate():
    """Each of eight analyses has an eighth."""
    paired = [paired_samples(threshold=threshold) for threshold in (0.01, 0.05)]
    levels = analysis_levels(thresholds(paired), RULES.screening)
    assert levels.tolist() == [RULES.screening.error / 8, RULES.screening.error / 5]


@pytest.mark.parametrize(
    ("rounds", "analyses"),
    [
        (6, (4, 6)),
        (24, (4, 6, 10, 16, 24)),
        (50, (4, 6, 10, 16, 24, 36, 50)),
        (130, (4, 6, 10, 16, 24, 36, 54, 80, 120, 130)),
    ],
)
def test_a_limit_on_rounds_shortens_or_extends_the_analyses_of_every_case(rounds, analyses):
    """All of them share the error rate."""
    rules = RULES.until(rounds).screening
    assert (rules.analyses(0.01), rules.analyses(0.05)) == (analyses, analyses)
    assert analysis_levels(thresholds([paired_samples()]), rules).tolist() == [rules.error / len(analyses)]


def test_a_case_that_is_inconclusive_goes_on_with_a_higher_limit():
    """With the usual limit it is given up."""
    noisy = paired_samples(rounds=SCREENING[-1], spread=0.1)
    assert next_rounds([noisy], RULES)[1] == (0,)
    assert next_rounds([noisy], RULES.until(100)) == ("screening", (36 - SCREENING[-1],))


def forked(*, start, each=0.1, within=0.0, between=0.0, forks=1, cases=4, rounds=4, seed=0):
    """The processes of a comparison whose parents take *start* seconds a case, with these standard deviations."""
    rng, found = np.random.default_rng(seed), ProcessCollection(machine="m")
    for _ in range(rounds):
        found.begin_round()
        for number, arm in [(number, arm) for number in range(cases) for arm in COMPARISON]:
            wall = np.exp(rng.normal(0, between) + rng.normal(0, within, forks))
            process = a_process(arm, tuple(wall.tolist()), name=f"suite.time_{number}")
            seconds = start + each * forks
            found.add([replace(process, forks=(1,) * forks, starting=start, seconds=seconds)])
    found.begin_round()
    return found.forks


def test_a_parent_that_costs_much_is_forked_more_often():
    """As often as the root of the ratio of the costs, while the variances are unknown; never without bounds."""
    assert [forked(start=start) for start in (0.0, 0.04, 0.4, 1.6, 1e6)] == [1, 1, 2, 4, MAX_FORKS]


def test_forks_are_as_many_as_the_variances_ask_for():
    """Where parents differ and their forks do not, one fork decides as much as many; and the other way round."""
    noisy = forked(start=1.6, within=0.02, between=0.005, forks=4, rounds=12)
    assert forked(start=1.6, within=0.002, between=0.02, forks=4, rounds=12) == 1
    assert noisy > 8


def test_cases_of_one_module_follow_each_other():
    """They share an import; the order of modules, and of the cases in each, is random."""
    cases = [
        (a_comparable_case(f"{module}.time_{number}"), "screening", COMPARISON)
        for number in range(6)
        for module in "abc"
    ]
    modules = [process.benchmark[0] for process in schedule_round(cases, random.Random(1), forks=3)]
    assert len([1 for one, other in itertools.pairwise(modules) if one != other]) == 2
    orders = {tuple(process.benchmark for process in schedule_round(cases, random.Random(seed))) for seed in range(4)}
    assert len(orders) == 4
    assert {process.forks for process in schedule_round(cases, random.Random(1), forks=3)} == {3}
