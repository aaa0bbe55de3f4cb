"""The rate of wrong decisions on claims, from few simulations; docs/measurements/error-rates.md has the tables."""

import pytest
from calibration.claims import NOISES, PROCESSES, decided, wrong

TRIALS = 600
LUCK = 3 * (0.025 * 0.975 / TRIALS) ** 0.5
"""Three standard errors of a rate of 2.5 %."""

EVEN = NOISES[:3]


@pytest.mark.parametrize("processes", PROCESSES)
@pytest.mark.parametrize("noise", EVEN, ids=lambda noise: noise.name)
def test_wrong_decisions_are_as_rare_as_documented(noise, processes):
    """At most 2.5 % of decisions are wrong each way, also if the true ratio is at an end of the band."""
    for rate in wrong(noise, processes, TRIALS):
        assert rate <= 0.025 + LUCK


@pytest.mark.parametrize("processes", [2, 3])
def test_wrong_decisions_on_ratios_of_ratios_are_as_rare(processes):
    """Four cases contribute their uncertainty."""
    for rate in wrong(NOISES[1], processes, TRIALS, against=True):
        assert rate <= 0.025 + LUCK


def test_unequal_spreads_increase_the_error_rate_slightly():
    """If one side is ten times as noisy as the other, at most 5 % of decisions are wrong."""
    for rate in wrong(NOISES[3], 2, TRIALS):
        assert rate <= 0.05 + LUCK


def test_clear_ratios_are_decided():
    """Two processes decide a ratio of 1 with the noise of waiting; four decide 1.2 with noise of 1 %."""
    assert decided(NOISES[0], 1.0, 2, TRIALS) > 0.95
    assert decided(NOISES[1], 1.2, 4, TRIALS) > 0.95


def test_samples_without_processes_decide_wrongly_more_often():
    """The documentation reports that rate."""
    assert max(wrong(NOISES[1], 2, TRIALS, pooled=True)) > 0.025
