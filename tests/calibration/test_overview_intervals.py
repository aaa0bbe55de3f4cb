"""How often the intervals of the overview miss, by simulation with a fixed seed; the docstrings state these figures."""

import numpy as np
import pytest

from windtunnel.stats.intervals import median_interval, ratio_limits

LEVEL = 0.95
TRIALS = 1500
LUCK = 3 * (0.05 * 0.95 / TRIALS) ** 0.5
"""Three standard errors of a rate of 5 %."""


def estimate(samples):
    interval = median_interval(samples, LEVEL)
    return float(np.median(samples)), (interval.low, interval.high)


def independent(generator, count):
    """Skewed samples with the median 1."""
    return np.exp(0.3 * generator.standard_normal(count))


def clustered(generator, _):
    """Two processes with three samples each; processes scatter as much as samples."""
    return np.concatenate([1 + 0.02 * (generator.standard_normal() + generator.standard_normal(3)) for _ in range(2)])


def missed(draw, count):
    """Rates at which the interval of a median of 1 and the interval of a ratio of 1 miss it."""
    generator = np.random.default_rng(20)
    misses = np.zeros(2)
    for _ in range(TRIALS):
        one, other = estimate(draw(generator, count)), estimate(draw(generator, count))
        for index, (low, high) in enumerate((one[1], ratio_limits(*one, *other))):
            misses[index] += not low <= 1 <= high
    return misses / TRIALS


@pytest.mark.parametrize("count", [6, 9, 15, 30])
def test_independent_samples_miss_less_than_promised(count):
    """At most 5 % for a median and 2.5 % for a ratio of two."""
    median, ratio = missed(independent, count)
    assert median <= 0.05 + LUCK
    assert ratio <= 0.025 + LUCK / 2


def test_the_doubt_about_few_processes_is_as_large_as_stated():
    """Where processes differ, 2 by 3 samples miss far more often than independence promises, and the text says so."""
    median, ratio = missed(clustered, 6)
    assert median == pytest.approx(0.13, abs=0.03)
    assert ratio == pytest.approx(0.08, abs=0.02)
