"""Intervals of medians and of their ratios."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.stats.intervals import median_interval, ratio_limits


@pytest.mark.parametrize(("confidence", "fewest"), [(0.95, 6), (0.99, 8), (0.5, 2)])
def test_an_interval_needs_a_minimum_of_samples(confidence, fewest):
    """With fewer samples even their whole range does not reach the confidence."""
    assert median_interval(range(fewest - 1), confidence) is None
    assert median_interval(range(fewest), confidence).high == fewest - 1


@pytest.mark.parametrize(("count", "low", "high"), [(6, 1, 6), (10, 2, 9), (20, 6, 15), (1000, 469, 532)])
def test_ranks_agree_with_published_tables(count, low, high):
    """Conover, W. J. (1999), Practical Nonparametric Statistics, section 3.4."""
    interval = median_interval(range(1, count + 1), 0.95)
    assert (interval.low, interval.high) == (low, high)


@given(st.lists(st.floats(-1e9, 1e9), min_size=6, max_size=60), st.sampled_from([0.8, 0.9, 0.95]))
def test_a_higher_confidence_never_narrows_the_interval(samples, confidence):
    """The wide one encloses the narrow one."""
    found = [interval for level in (confidence, 0.96) if (interval := median_interval(samples, level))]
    assert all(wide.low <= narrow.low <= narrow.high <= wide.high for narrow, wide in pairwise(found))


POSITIVE = st.floats(1e-6, 1e6)


@st.composite
def estimates(draw):
    low, value, high = sorted(draw(st.tuples(POSITIVE, POSITIVE, POSITIVE)))
    return value, (low, high)


def test_relative_errors_add_in_quadrature():
    """On logarithms, 3 and 4 make 5."""
    low, high = ratio_limits(1, (math.exp(-3), math.exp(3)), 2, (2 * math.exp(-4), 2 * math.exp(4)))
    assert low == pytest.approx(0.5 * math.exp(-5))
    assert high == pytest.approx(0.5 * math.exp(5))


@given(estimates(), estimates())
def test_the_reciprocal_ratio_has_reciprocal_limits(one, other):
    """The choice of the reference does not matter."""
    there, back = ratio_limits(*one, *other), ratio_limits(*other, *one)
    assert there[0] <= one[0] / other[0] <= there[1]
    assert there[0] == pytest.approx(1 / back[1])


@pytest.mark.parametrize("limits", [(0.0, 2), (-1.0, 2), (-math.inf, 2), (0.5, math.inf)])
def test_a_limit_without_a_logarithm_gives_no_ratio(limits):
    """At or below zero, or infinite."""
    sure = 1, (0.5, 2)
    assert ratio_limits(*sure, 1, limits) is None
    assert ratio_limits(1, limits, *sure) is None
