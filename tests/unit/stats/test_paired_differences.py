"""Intervals and p-values of paired differences, against scipy and by hand."""

import numpy as np
import pytest
import scipy

from windtunnel.stats.paired_differences import (
    MIN_RANKED,
    adjust_for,
    detectable,
    estimate,
    holm_levels,
    interval,
    one_sided_p,
    rounds_to_decide,
    signed_rank_p,
)

SEED = 7


def rows(cases, rounds, centre=0.0):
    return np.random.default_rng(SEED).normal(centre, 0.01, (cases, rounds))


def test_few_pairs_use_students_interval():
    """Below MIN_RANKED pairs it agrees with scipy's paired t interval."""
    differences = rows(5, MIN_RANKED - 1, 0.003)
    lower, upper = interval(estimate(differences), np.full(5, 0.02))
    wanted = scipy.stats.ttest_1samp(differences, 0, axis=1).confidence_interval(0.98)
    assert lower == pytest.approx(wanted.low)
    assert upper == pytest.approx(wanted.high)


def test_p_of_few_pairs_agrees_with_scipy():
    """It is one-sided, in the given direction."""
    differences = rows(5, 6, 0.003)
    wanted = scipy.stats.ttest_1samp(differences, 0, axis=1, alternative="greater").pvalue
    assert one_sided_p(estimate(differences), np.ones(5)) == pytest.approx(wanted)


@pytest.mark.parametrize("rounds", [12, 13, 20])
def test_signed_ranks_agree_with_scipy(rounds):
    """The p of Wilcoxon's test is exact in both directions."""
    differences = rows(4, rounds, 0.004)
    for sign, name in ((1.0, "greater"), (-1.0, "less")):
        wanted = [scipy.stats.wilcoxon(row, alternative=name, method="exact").pvalue for row in differences]
        assert signed_rank_p(differences, np.full(4, sign)) == pytest.approx(wanted)


@pytest.mark.parametrize("rounds", [3, 12, 25])
@pytest.mark.parametrize("centre", [0.0, 0.004, 0.02])
def test_interval_and_p_agree(rounds, centre):
    """The two-sided interval excludes zero exactly if the one-sided p is below half its error rate."""
    found = estimate(rows(200, rounds, centre))
    lower, upper = interval(found, np.full(200, 0.02))
    assert (((lower > 0) | (upper < 0)) == (one_sided_p(found, np.sign(found.mean)) < 0.01)).all()


def test_signed_ranks_ignore_one_disturbed_process():
    """Student's interval alone would contain zero."""
    differences = rows(1, 20, 0.05)
    differences[0, 3] = -3.0
    lower, _ = interval(estimate(differences), np.full(1, 0.01))
    assert scipy.stats.ttest_1samp(differences[0], 0).confidence_interval(0.99).low < 0 < lower[0]


@pytest.mark.parametrize("gap", [np.nan, np.inf])
def test_rounds_without_a_value_are_left_out(gap):
    """Their position in the row does not matter."""
    differences = rows(1, 15)
    holes = np.insert(differences, 4, gap, axis=1)
    for one, other in zip(
        interval(estimate(holes), np.full(1, 0.02)), interval(estimate(differences), np.full(1, 0.02)), strict=True
    ):
        assert one == pytest.approx(other)


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_pairs_show_nothing(count):
    """The interval is infinite, and nothing is detectable."""
    found = estimate(np.full((1, count), 0.5).reshape(1, count))
    alpha = np.full(1, 0.05)
    lower, upper = interval(found, alpha)
    assert (lower[0], upper[0]) == (-np.inf, np.inf)
    assert one_sided_p(found, np.ones(1))[0] == 0.5
    assert detectable(found, alpha)[0] == np.inf
    assert np.isnan(rounds_to_decide(found, alpha, np.full(1, 0.05))[0])


def test_equal_differences_without_a_floor_are_exact():
    """The interval of counts is the value itself."""
    found = estimate(np.array([[0.25] * 4, [0.0] * 4]))
    lower, upper = interval(found, np.full(2, 0.01))
    assert lower.tolist() == upper.tolist() == [0.25, 0.0]
    assert one_sided_p(found, np.ones(2)).tolist() == [0.0, 0.5]


def test_rounds_to_decide_is_the_smallest_sufficient_number():
    """One round less does not decide, with the same mean and spread."""
    found, alpha, threshold = estimate(rows(1, 4, 0.001) * 8), np.full(1, 0.01), np.full(1, 0.05)
    needed = int(rounds_to_decide(found, alpha, threshold)[0])
    spread, mean = found.error[0] * 2, abs(found.mean[0])

    def half(count):
        return scipy.stats.t.isf(0.005, count - 1) * spread / np.sqrt(count)

    assert half(needed) < max(mean, 0.05 - mean) <= half(needed - 1)


def test_a_detectable_change_is_detected_with_its_power():
    """Four of five simulated comparisons find the minimum detectable effect."""
    rng, alpha = np.random.default_rng(SEED), np.full(4000, 0.05)
    noise = rng.normal(0, 0.01, (4000, 8))
    effect = scipy.stats.t.isf(0.025, 7) + scipy.stats.t.isf(0.2, 7)
    lower, _ = interval(estimate(noise + effect * 0.01 / np.sqrt(8)), alpha)
    assert (lower > 0).mean() == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize(
    ("p", "levels"),
    [
        ([0.001, 0.2, 0.004], [0.01 / 3, 0.01, 0.005]),
        ([0.004, 0.004, 0.004], [0.01 / 3] * 3),
        ([0.02, 0.01], [0.005, 0.005]),
        ([], []),
    ],
)
def test_holm_levels_follow_the_procedure(p, levels):
    """The levels are computed by hand after Holm (1979)."""
    assert holm_levels(np.array(p), 0.01).tolist() == pytest.approx(levels)


def test_an_adjusted_mean_agrees_with_least_squares():
    """Intercept and standard error are those of scipy's line through the differences."""
    covariate = np.random.default_rng(SEED).integers(-1, 2, (5, 9)).astype(float)
    differences = rows(5, 9, 0.003) + 0.15 * covariate
    found = adjust_for(differences, covariate)
    lines = [scipy.stats.linregress(x, y) for x, y in zip(covariate, differences, strict=True)]
    assert found.mean == pytest.approx([line.intercept for line in lines])
    assert found.error == pytest.approx([line.intercept_stderr for line in lines])
    assert found.freedom.tolist() == [7] * 5


def test_adjusted_rows_are_as_wide_as_the_error():
    """So signed ranks include the error of the slope."""
    covariate = np.tile([0.0, 1.0, -1.0], (1, 6))
    found = adjust_for(rows(1, 18), covariate)
    assert estimate(found.rows).error == pytest.approx(found.error)
    assert estimate(found.rows).mean == pytest.approx(found.mean)


@pytest.mark.parametrize("covariate", [[0.0] * 8, [1.0, 0.0, -1.0, 0.0, 1.0] + [np.nan] * 3])
def test_without_variation_or_with_five_pairs_nothing_is_adjusted(covariate):
    """The error is unknown."""
    assert adjust_for(rows(1, 8), np.array([covariate])).error[0] == np.inf
