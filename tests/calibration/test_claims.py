"""How often claims are decided wrongly, in reduced size; docs/explanation/statistics.md has the tables."""

import pytest
from calibration.claims import NOISES, PROCESSES, decided, wrong

TRIALS = 600
LUCK = 3 * (0.025 * 0.975 / TRIALS) ** 0.5
"""Three standard errors of a rate of 2.5 %."""

EVEN = NOISES[:3]


@pytest.mark.parametrize("processes", PROCESSES)
@pytest.mark.parametrize("noise", EVEN, ids=lambda noise: noise.name)
def test_a_wrong_decision_is_as_rare_as_stated(noise, processes):
    """At most 2.5 % each way, where the truth lies at an end of the band; there it is likeliest."""
    for rate in wrong(noise, processes, TRIALS):
        assert rate <= 0.025 + LUCK


@pytest.mark.parametrize("processes", [2, 3])
def test_a_ratio_of_ratios_is_decided_as_rarely_wrong(processes):
    """Four sides, each with its own doubt."""
    for rate in wrong(NOISES[1], processes, TRIALS, against=True):
        assert rate <= 0.025 + LUCK


def test_unequal_spreads_cost_a_little():
    """One side ten times as noisy as the other, two processes each: at most 5 %, as the text says."""
    for rate in wrong(NOISES[3], 2, TRIALS):
        assert rate <= 0.05 + LUCK


def test_what_is_clear_is_decided():
    """A ratio of 1, and one of 1.2, with the noise of waiting and two processes; with 1 % and four."""
    assert decided(NOISES[0], 1.0, 2, TRIALS) > 0.95
    assert decided(NOISES[1], 1.2, 4, TRIALS) > 0.95


def test_the_doubt_about_pooled_samples_is_real():
    """Where processes differ, samples of unknown processes decide wrongly more often, and the text says so."""
    assert max(wrong(NOISES[1], 2, TRIALS, pooled=True)) > 0.025
