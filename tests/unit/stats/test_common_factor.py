"""What a run's series have in common: found, applied where it helps, and never mistaken for a change of level."""

import numpy as np
import pytest
from builders.histories import NOISE, histories

from windtunnel.stats.common_factor import compute_correction, fit_common_factor, weighted_medians

SLOW = (20, 41, 42, 77)


def residuals(seed=0, count=20, runs=100):
    return histories(seed, count=count, points=runs)


def test_the_factor_of_slow_runs_is_estimated():
    """A run in which every series is 15 % off has that factor; the others have none."""
    table = residuals()
    table[:, SLOW] += 0.15
    factor = fit_common_factor(table)[0]
    assert set(np.flatnonzero(np.abs(factor) > 0.02)) == set(SLOW)
    assert factor[list(SLOW)] == pytest.approx([0.15] * 4, abs=0.02)


def test_a_minority_does_not_make_a_factor():
    """A true change of a third of the series is not divided out."""
    table = residuals()
    table[:7, 60:] += 0.4
    assert np.abs(fit_common_factor(table)[0]).max() < 0.02


def test_a_lasting_factor_stays_in_the_series():
    """It is a change of level, which must not be hidden."""
    table = residuals()
    table[:, 70:] += 0.2
    passing, lasting = fit_common_factor(table)
    assert np.abs(passing).max() < 0.02
    assert lasting[80] - lasting[50] == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize("count", [0, 4])
def test_few_series_have_no_common_factor(count):
    """Below five series a slow machine looks like slow code."""
    table = residuals(count=count) + 0.3
    assert not fit_common_factor(table)[0].any()


def test_gaps_do_not_break_the_fit():
    """Series with few or no runs neither break the fit nor decide it."""
    table = residuals()
    table[:, SLOW] += 0.15
    table[3:8, ::2] = np.nan
    table[9] = np.nan
    table[:, 10] = np.nan
    factor = fit_common_factor(table)[0]
    assert factor[41] == pytest.approx(0.15, abs=0.03)
    assert factor[10] == 0


def test_each_series_is_corrected_by_its_own_loading():
    """A series with twice the loading is corrected twice as much; one that waits is not corrected."""
    factor = np.where(np.random.default_rng(1).random(100) < 0.3, -0.2, 0.0)
    noise = histories(2, count=1, points=100)[0]
    double = compute_correction(noise + 2 * factor, factor, NOISE)
    assert double.subtract == pytest.approx(2 * factor, abs=0.05)
    waiting = compute_correction(noise, factor, NOISE)
    assert not waiting.subtract.any()
    assert waiting.weights.min() == 1


def test_an_uncertain_correction_lowers_the_weight():
    """The first affected runs are corrected, but get a low weight."""
    factor = np.zeros(50)
    factor[30] = 0.3
    fixed = compute_correction(histories(3, count=1, points=50)[0] + factor, factor, NOISE)
    assert fixed.subtract[30] == pytest.approx(0.3)
    assert fixed.weights[30] < 0.2
    assert np.delete(fixed.weights, 30).min() == 1


def test_a_weighted_median_counts_weights_instead_of_rows():
    """One heavy row outweighs two light ones; a column without values is 0."""
    values = np.array([[1.0, np.nan], [2.0, np.nan], [9.0, np.nan]])
    assert list(weighted_medians(values, np.array([1.0, 1.0, 5.0]))) == [9.0, 0.0]


def test_weighted_medians_of_equal_weights_are_medians():
    """Of an odd number of rows."""
    table = residuals(count=15)
    np.testing.assert_array_equal(weighted_medians(table, np.ones(15)), np.median(table, axis=0))


def test_medians_that_are_too_small_to_count_are_zero():
    """The others are as without a limit, with gaps and any weights."""
    table = residuals(count=15)
    table[:, SLOW] += 0.15
    table[:, 50] -= 0.15
    table[3:8, ::2] = np.nan
    weights = np.arange(15.0)
    exact = weighted_medians(table, weights)
    large = np.abs(exact) > 0.01
    assert 5 <= np.count_nonzero(large) < 50
    np.testing.assert_array_equal(weighted_medians(table, weights, 0.01), np.where(large, exact, 0))
