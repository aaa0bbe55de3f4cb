"""Significance: changes of levels and of instructions."""

import msgspec
import numpy as np
import pytest
from builders.samples import a_context, paired_samples, stage_samples_of, uncounted, work_samples
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.effects import find_level_changes
from windtunnel.compare.format import UNDECIDED
from windtunnel.compare.samples_format import InstructionChange, PairedSamples, Rules, WorkSamples
from windtunnel.compare.schedule import find_suspects
from windtunnel.compare.significance import SAME_WORK, THREADS, TOO_WIDE, decide_work
from windtunnel.model.schedule import InstructionCounts

DISTANCE = 0.15
CASES = 500
SEED = 20261122


def logarithms(*, change=0.0, rounds=16, shares=(0.5, 0.5), spread=0.0125, cases=CASES, distance=DISTANCE):
    """Base and head of cases whose processes lie on the upper level with these *shares*."""
    rng = np.random.default_rng(SEED)
    upper = [rng.random((cases, rounds)) < share for share in shares]
    noise = rng.normal(0, spread, (2, cases, rounds))
    return noise[0] + distance * upper[0], noise[1] + distance * upper[1] + change


def changes_of(before, after, threshold=0.05):
    return find_level_changes(before, after, np.full(len(before), threshold), 1e-3)


def samples_with_levels(*, stages=("screening", "confirmation"), **what):
    """The samples of a case with two levels, drawn anew for each stage."""
    rng = np.random.default_rng(SEED)
    taken = []
    for stage in stages:
        before, after = logarithms(cases=50, **what)
        row = int(rng.integers(50))
        taken.append(stage_samples_of(np.exp(before[row]), np.exp(after[row]), stage=stage))
    return PairedSamples(benchmark="suite.time_it", stage_samples=tuple(taken))


def the_comparison(paired):
    (found,) = decide(a_context(), [paired]).comparisons
    return found


def test_the_change_within_levels_is_estimated_without_the_noise_between_them():
    """Its standard error is a fraction of that of the mean difference, and true."""
    found = changes_of(*logarithms(change=0.03))
    assert found.found.mean() > 0.9
    estimates = found.estimates.of(found.found)
    assert estimates.mean.mean() == pytest.approx(0.03, abs=0.001)
    assert estimates.error.mean() == pytest.approx(estimates.mean.std(), rel=0.15)
    assert estimates.error.mean() < DISTANCE * np.sqrt(0.5 / 16) / 4


def shared(*, change=0.0, shown=1.0, hidden=0.0, rounds=16):
    """A processor is up to 60 % slower; a loop shows a share of it, and the *hidden* part of a change."""
    rng = np.random.default_rng(SEED)
    slowness = rng.uniform(0, 0.5, (2, rounds))
    values = slowness + rng.normal(0, 0.01, (2, rounds)) + np.array([[0.0], [change]])
    in_loops = values - shown * slowness - np.array([[0.0], [hidden]])
    return PairedSamples(benchmark="t", stage_samples=(stage_samples_of(*np.exp(values), in_loops=np.exp(in_loops)),))


@pytest.mark.parametrize("shown", [1.0, 0.7])
def test_the_speed_of_the_processor_is_no_noise_where_a_loop_shows_it(shown):
    """Without the loops, not even a change of 15 % is excluded."""
    looped = shared(shown=shown)
    (stage,) = looped.stage_samples
    alone = replace(looped, stage_samples=(stage_samples_of(stage.baseline.values, stage.contender.values),))
    assert the_comparison(looped).verdict == "unchanged"
    assert the_comparison(alone).verdict in UNDECIDED
    assert the_comparison(alone).interval.high > 0.15
    assert not any("levels" in note for note in the_comparison(looped).notes)


def test_a_change_is_found_at_one_speed_of_the_processor():
    """Before and after differ by it, although their times do not show it."""
    found = the_comparison(*find_suspects([shared(change=0.1)], Rules()))
    assert found.interval.low > 0.07
    assert found.contender.value / found.baseline.value == pytest.approx(1 + found.relative_change)


@pytest.mark.parametrize("looped", [(1.0,), (1.0, 1.0, 0.0), (1.0,) * 9])
def test_values_in_loops_that_do_not_belong_to_the_values_are_ignored(looped):
    """A verdict of another job may say anything."""
    stages = [stage_samples_of((1.0,) * 3, (1.1,) * 3, in_loops=(each, each)) for each in ((), looped)]
    assert len({the_comparison(PairedSamples(benchmark="t", stage_samples=(one,))).interval for one in stages}) == 1


def test_a_change_that_slows_down_the_loop_too_is_found():
    """A thread of head that keeps the other processor busy does so; the times show it."""
    assert the_comparison(*find_suspects([shared(change=1.5, hidden=1.5)], Rules())).interval.low > 0.5


def test_a_case_with_one_level_is_compared_as_it_is():
    """Also if base and head differ by far."""
    for change in (0.0, 0.05, 0.2):
        assert changes_of(*logarithms(distance=0.0, change=change)).found.mean() < 0.01


def test_levels_closer_than_the_threshold_are_not_distinguished():
    """They hide no change that matters."""
    before, after = logarithms()
    assert not changes_of(before, after, threshold=0.3).found.any()


def test_two_commits_on_different_levels_are_a_change():
    """All processes of base lie on one level, and all of head on the other: nothing shows that the level is chance."""
    assert not changes_of(*logarithms(shares=(0.0, 1.0))).found.any()


def test_rounds_on_one_level_need_no_correction():
    """Both processes of each round are on the same level, so their differences do not show it."""
    rng = np.random.default_rng(SEED)
    level = DISTANCE * (rng.random((CASES, 16)) < 0.5)
    noise = rng.normal(0, 0.0125, (2, CASES, 16))
    assert not changes_of(level + noise[0], level + noise[1]).found.any()


def test_rounds_without_both_values_are_left_out():
    """As in the mean difference."""
    before, after = logarithms(cases=20)
    whole = changes_of(before, after)
    holes = np.full((20, 2), np.nan)
    longer = changes_of(np.hstack([before, holes]), np.hstack([after, holes + np.array([0.0, np.nan])]))
    assert longer.estimates.mean == pytest.approx(whole.estimates.mean)
    assert (longer.on_upper == whole.on_upper).all()


def test_an_unchanged_case_with_two_levels_is_unchanged():
    """Its note has the distance, and how many processes were on the slower level."""
    found = the_comparison(samples_with_levels(stages=("screening",)))
    assert found.verdict == "unchanged"
    assert any("two levels, 1" in note and "of 16" in note and "within each level" in note for note in found.notes)


def test_a_change_of_both_levels_is_found():
    """The interval is that of the change within a level."""
    found = the_comparison(samples_with_levels(change=0.05, rounds=24))
    assert found.verdict == "regressed"
    assert found.significant
    assert found.interval.low < np.expm1(0.05) < found.interval.high
    assert found.interval.high - found.interval.low < 0.08


def test_a_change_of_the_share_is_found():
    """Head is on the slower level nearly always; the change is that of the mean."""
    found = the_comparison(samples_with_levels(shares=(0.25, 0.9), rounds=30))
    assert found.verdict == "regressed"
    assert found.relative_change == pytest.approx(np.expm1(0.65 * DISTANCE), abs=0.04)
    assert any("the share of the levels changed" in note for note in found.notes)


def test_samples_without_ratios_have_no_levels():
    """Differences of values of zero are no ratios."""
    paired = samples_with_levels(stages=("screening",))
    (stage,) = paired.stage_samples
    with_zero = replace(
        paired,
        kind="other",
        stage_samples=(stage_samples_of((*stage.baseline.values, 0.0), (*stage.contender.values, 0.0)),),
    )
    found = decide(a_context(), [with_zero, paired_samples("suite.time_other")])
    assert not any("two levels" in note for case in found.comparisons for note in case.notes)


def test_equal_counts_show_that_the_levels_are_not_in_the_code():
    """Without counts, the note says that there seem to be two levels."""
    counts = InstructionCounts(per_call=(1e6,) * 5, calls=10)
    paired = samples_with_levels(stages=("screening",))
    (unknown,), (known,) = (
        the_comparison(one).notes for one in (paired, replace(paired, work=WorkSamples(base=counts, head=counts)))
    )
    assert unknown.startswith("seems to have two levels")
    assert known.startswith("has two levels")
    assert known.endswith("instructions are equal, so the code is alike")


def change_of(work, **what):
    (found,) = decide_work([paired_samples(work=work, **what)])
    return found


def counts(*per_call):
    return InstructionCounts(per_call=tuple(map(float, per_call)), calls=10)


@pytest.mark.parametrize(
    ("ratio", "work"),
    [(1.0, "same"), (1.0005, "same"), (0.9995, "same"), (1.003, "more"), (0.997, "less"), (2000.0, "more")],
)
def test_work_changes_by_more_than_a_tenth_of_a_per_cent(ratio, work):
    """What another memory layout alone can cause is the same work."""
    found = change_of(work_samples(ratio))
    assert found.work is work
    assert found.relative_change == pytest.approx(ratio - 1, rel=0.01, abs=2e-4)
    assert found.interval.low < found.relative_change < found.interval.high


def test_what_seeds_do_to_both_commits_is_no_noise():
    """Seeds that differ by 5 % hide no change of 0.3 %, because each is compared with itself."""
    found = change_of(work_samples(1.003, of_seeds=0.05))
    assert found.work == "more"
    assert found.interval.high - found.interval.low < SAME_WORK


def test_equal_counts_are_not_exact():
    """Five equal seeds do not show that the next one is equal."""
    found = change_of(WorkSamples(base=counts(*[1e6] * 5), head=counts(*[1.01e6] * 5)))
    assert found.relative_change == pytest.approx(0.01)
    assert 0.0097 < found.interval.low < 0.01 < found.interval.high < 0.0103


def test_a_wide_interval_is_unknown():
    """The figures stay, with the reason."""
    found = change_of(work_samples(1.002, spread=0.01))
    assert (found.work, found.reason) == ("unknown", TOO_WIDE)
    assert found.interval.low < 0 < found.interval.high


def test_counts_of_cases_with_threads_explain_nothing():
    """Their work is not counted reliably, so neither a sentence nor the gate uses it."""
    found = change_of(work_samples(1.5, other_threads=True), instructions_threshold=0.1)
    assert (found.work, found.reason, found.regressed) == ("unknown", THREADS, False)
    assert found.relative_change == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (uncounted("valgrind is missing"), "valgrind is missing"),
        (WorkSamples(base=counts(1, 1, 1), head=InstructionCounts(reason="it failed")), "on head: it failed"),
        (WorkSamples(base=InstructionCounts(), head=InstructionCounts()), "it was not counted"),
        (WorkSamples(base=counts(1, 1, 1), head=counts(1, 1, 1, 1)), "base and head were not counted with the same"),
        (WorkSamples(base=counts(1, 1), head=counts(1, 1)), "counts of at least 3 hash seeds are needed"),
        (WorkSamples(base=counts(1, 0, 1), head=counts(1, 1, 1)), "a count is not above zero"),
    ],
)
def test_what_cannot_be_compared_has_a_reason(work, reason):
    """It is unknown, without a figure."""
    found = change_of(work)
    assert (found.work, found.relative_change, found.interval) == ("unknown", None, None)
    assert found.reason.startswith(reason)


def test_absurd_counts_end_no_report():
    """A count from an artifact may be anything that a number holds."""
    for before, after in ((1e-300, 1e300), (1e300, 1e-300), (5e-324, 1.7e308)):
        found = change_of(WorkSamples(base=counts(*[before] * 3), head=counts(*[after] * 3)))
        assert isinstance(found, InstructionChange)
        assert msgspec.json.decode(msgspec.json.encode(found), type=InstructionChange) == found


def test_cases_are_decided_side_by_side():
    """Each keeps its own counts, whatever the number of its seeds; a case without any has no entry."""
    samples = [
        paired_samples("a", work=work_samples(1.5)),
        paired_samples("b"),
        paired_samples("c", work=uncounted("no")),
        paired_samples("d", work=work_samples(0.5, seeds=8)),
    ]
    assert [one and one.work for one in decide_work(samples)] == ["more", None, "unknown", "less"]
    assert decide_work([]) == ()


@pytest.mark.parametrize(
    ("threshold", "ratio", "regressed"),
    [(0.0, 1.5, False), (0.005, 1.012, True), (0.005, 1.004, False), (0.005, 1.0052, False), (0.005, 0.9, False)],
)
def test_the_gate_needs_the_whole_interval_above_the_threshold(threshold, ratio, regressed):
    """Without a threshold nothing fails, and what lies near it does not."""
    assert change_of(work_samples(ratio), instructions_threshold=threshold).regressed is regressed


def test_all_gated_cases_share_one_error_rate():
    """A case that is just above its threshold alone is not among many; those without a threshold do not count."""
    work = work_samples(1.007, spread=2e-4)

    def regressed(others, threshold):
        rest = [
            paired_samples(f"o{number}", work=work_samples(seed=number + 1), instructions_threshold=threshold)
            for number in range(others)
        ]
        return decide_work([paired_samples("a", work=work, instructions_threshold=0.005), *rest])[0].regressed

    assert regressed(0, 0.005)
    assert not regressed(2000, 0.005)
    assert regressed(2000, 0.0)


@pytest.mark.parametrize("ratio", [1.0, 1.2])
@pytest.mark.parametrize("work", [work_samples(1.0), work_samples(1.5), work_samples(0.5), uncounted()])
def test_instructions_never_change_the_verdict_on_time(ratio, work):
    """All fields of the decision but the instructions are equal with and without counts, also with a threshold."""
    samples = [paired_samples(f"suite.time_{number}", ratio, fresh=ratio, seed=number) for number in range(3)]
    counted = [msgspec.structs.replace(one, work=work, instructions_threshold=0.001) for one in samples]
    without, found = (decide(a_context(), each) for each in (samples, counted))
    plain = [
        msgspec.structs.replace(one, work=None, instructions=None, instructions_threshold=0.0)
        for one in found.comparisons
    ]
    assert msgspec.structs.replace(found, comparisons=tuple(plain)) == without
