"""The interval of a ratio."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.stats.intervals import MedianEstimate, ratio_of_medians

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
