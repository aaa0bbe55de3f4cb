"""The interval of a median."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.stats.intervals import median_interval, min_samples


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
