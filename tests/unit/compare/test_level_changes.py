"""A case with two levels is compared within each level; its mean still shows a change of their shares."""

import numpy as np
import pytest
from builders.samples import a_context, paired_samples, stage_samples_of
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.effects import find_level_changes
from windtunnel.compare.samples_format import PairedSamples, WorkSamples
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
