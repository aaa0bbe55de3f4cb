"""Intervals of medians and of their ratios."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.stats.intervals import MedianEstimate, median_interval, min_samples, ratio_of_medians


@pytest.mark.parametrize(("confidence", "fewest"), [(0.95, 6), (0.99, 8), (0.5, 2)])
def test_an_interval_needs_a_minimum_of_samples(confidence, fewest):
    """With fewer samples even their whole range does not reach the confidence."""
    assert min_samples(confidence) == fewest
    assert median_interval(range(fewest - 1), confidence) is None
    assert median_interval(range(fewest), confidence).confidence >= confidence


@pytest.mark.parametrize(
    ("count", "low", "high", "confidence"),
    [(6, 1, 6, 0.969), (10, 2, 9, 0.979), (20, 6, 15, 0.959), (1000, 469, 532, 0.954)],
)
def test_ranks_agree_with_published_tables(count, low, high, confidence):
    """Conover, W. J. (1999), Practical Nonparametric Statistics, section 3.4."""
    interval = median_interval(range(1, count + 1), 0.95)
    assert (interval.low, interval.high) == (low, high)
    assert interval.confidence == pytest.approx(confidence, abs=0.001)


@given(st.lists(st.floats(-1e9, 1e9), min_size=6, max_size=60), st.sampled_from([0.8, 0.9, 0.95]))
def test_a_higher_confidence_never_narrows_the_interval(samples, confidence):
    """Both intervals reach their confidence."""
    levels = (confidence, 0.96)
    found = [interval for level in levels if (interval := median_interval(samples, level))]
    assert all(interval.confidence >= level for interval, level in zip(found, levels, strict=True))
    assert all(wide.low <= narrow.low <= narrow.high <= wide.high for narrow, wide in pairwise(found))


POSITIVE = st.floats(1e-6, 1e6)


@st.composite
def estimates(draw):
    low, value, high = sorted(draw(st.tuples(POSITIVE, POSITIVE, POSITIVE)))
    return MedianEstimate(value=value, low=low, high=high)


def test_relative_errors_add_in_quadrature():
    """On logarithms, 3 and 4 make 5."""
    wide = MedianEstimate(value=1, low=math.exp(-3), high=math.exp(3))
    narrow = MedianEstimate(value=2, low=2 * math.exp(-4), high=2 * math.exp(4))
    found = ratio_of_medians(wide, narrow)
    assert found.value == 0.5
    assert found.low == pytest.approx(0.5 * math.exp(-5))
    assert found.high == pytest.approx(0.5 * math.exp(5))


@given(estimates(), estimates())
def test_the_reciprocal_ratio_has_reciprocal_limits(one, other):
    """The choice of the reference does not matter."""
    there, back = ratio_of_medians(one, other), ratio_of_medians(other, one)
    assert there.low <= there.value <= there.high
    assert there.low == pytest.approx(1 / back.high)


@pytest.mark.parametrize("low", [0.0, -1.0, -math.inf])
def test_a_limit_at_or_below_zero_gives_no_ratio(low):
    """It has no logarithm."""
    sure = MedianEstimate(value=1, low=0.5, high=2)
    unsure = MedianEstimate(value=1, low=low, high=2)
    assert ratio_of_medians(sure, unsure) is None
    assert ratio_of_medians(unsure, sure) is None
    assert ratio_of_medians(sure, MedianEstimate(value=1, low=0.5, high=math.inf)) is None
