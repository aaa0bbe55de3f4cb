"""Tails, quantiles and the running median, against scipy and closed forms."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.stats.special import (
    binomial_tail,
    incomplete_beta,
    median,
    normal_tail,
    quantile,
    running_median,
    upper_quantile,
    upper_tail,
)

FREEDOM = np.concatenate([np.arange(1, 60), np.geomspace(1, 3000, 50)])
"""More than the 1,001 observations that are predicted, and the neighbours of a change, ever have."""


def grid(values):
    freedom, values = np.meshgrid(FREEDOM, values)
    return values, freedom


def test_students_tail_agrees_with_scipy():
    """To 1e-12, down to probabilities of 1e-290."""
    value, freedom = grid(np.geomspace(1e-2, 1e5, 150))
    wanted = scipy.special.stdtr(freedom, -value)
    shown = wanted > 1e-290
    np.testing.assert_allclose(upper_tail(value, freedom)[shown], wanted[shown], rtol=1e-12)
    assert (upper_tail(value, freedom)[~shown] < 1e-289).all()


@pytest.mark.parametrize("value", [1e-12, 1e-6, 0.3, 1.0, 1.7, 40.0])
def test_students_tail_has_its_closed_forms(value):
    """With one degree of freedom it is an arc tangent, with two a root; scipy is off by 3e-11 for small values."""
    assert upper_tail(value, 1) == pytest.approx(0.5 - math.atan(value) / math.pi, rel=1e-13)
    assert upper_tail(value, 2) == pytest.approx(0.5 - value / math.sqrt(2 + value**2) / 2, rel=1e-12)


def test_a_million_degrees_of_freedom_are_almost_normal():
    """The tail differs from the normal one by a term of the order of 1/freedom."""
    assert upper_tail(2.5, 1e6) == pytest.approx(normal_tail(2.5), rel=2e-5)


def test_students_quantile_agrees_with_scipy():
    """To 1e-12, from probabilities of 1e-100 on."""
    p, freedom = grid(np.concatenate([np.geomspace(1e-100, 0.49, 150), [0.5, 0.8, 0.975, 0.999]]))
    quantile = upper_quantile(p, freedom)
    np.testing.assert_allclose(quantile, -scipy.special.stdtrit(freedom, p), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(upper_tail(quantile, freedom), p, rtol=1e-12)


def test_limits_of_students_distribution():
    """No probability is never exceeded; without degrees of freedom, or of an unknown value, nothing is known."""
    assert upper_quantile(0, 5) == math.inf
    assert upper_tail(math.inf, 5) == 0
    assert upper_tail(-math.inf, 5) == 1
    assert upper_tail(1e200, 3) == 0
    assert upper_tail(-2, 5) == pytest.approx(1 - upper_tail(2, 5))
    assert np.isnan(upper_tail([1, math.nan], [0, 3])).all()
    assert np.isnan(upper_quantile([0.1, 1, math.nan], [0, 3, 3])).all()


def test_shapes_broadcast():
    """A column of probabilities and a row of degrees of freedom give a table; a single value is of no dimension."""
    assert upper_quantile([[0.1], [0.2]], [1, 2, 3]).shape == (2, 3)
    assert upper_tail(1.0, 3).shape == ()
    assert upper_tail([], []).shape == (0,)


@given(st.integers(1, 200), st.floats(0.001, 0.999), st.data())
def test_binomial_tails_agree_with_scipy(trials, share, data):
    """For every run beside a change."""
    least = data.draw(st.integers(1, trials))
    assert binomial_tail(least, trials, share) == pytest.approx(
        scipy.special.bdtrc(least - 1, trials, share), rel=1e-11
    )


@given(st.floats(-8, 37))
def test_normal_tails_agree_with_scipy(value):
    """Down to 1e-300."""
    assert normal_tail(value) == pytest.approx(scipy.special.ndtr(-value), rel=1e-12)


@given(st.lists(st.floats(-1e9, 1e9), min_size=15, max_size=60))
def test_the_running_median_is_that_of_scipy(values):
    """Also at the ends, which are mirrored."""
    wanted = scipy.ndimage.median_filter(np.array(values), 15, mode="reflect")
    np.testing.assert_array_equal(running_median(np.array(values), 15), wanted)


def test_the_incomplete_beta_function_agrees_with_scipy():
    """Of whole and fractional parameters, up to 100,000 comparisons."""
    for a in (0.4, 1, 2.5, 40, 99_000):
        for b in (0.4, 1, 30, 1840.2, 99_000):
            for x in (1e-6, 1e-3, 0.3, 0.5, 0.99):
                wanted = scipy.special.betainc(a, b, x)
                assert incomplete_beta(a, b, x) == pytest.approx(wanted, rel=1e-8, abs=1e-12)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40), st.sampled_from([0.0, 0.02, 0.25, 0.5, 0.98, 1.0]))
def test_median_and_quantile_are_those_of_numpy_to_the_last_digit(values, share):
    """Detection found its results with NumPy's."""
    assert median(np.array(values)) == np.median(values)
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_equal(quantile(np.sort(values), share), float(np.quantile(values, share)))
