"""What counts of instructions show is right at the stated rates; studies.counts has the table."""

import numpy as np
import scipy
from calibration.counts import decided

SURE = 1e-6
CASES = 400


def seeded():
    return np.random.default_rng(20261122)


def test_more_instructions_are_found():
    """0.3 % more in 95 % of cases, if the counts of a commit differ by 0.05 % from seed to seed."""
    found = decided(change=0.003, spread=0.0005, cases=CASES, rng=seeded())
    assert found.count("more") >= scipy.stats.binom.ppf(SURE, CASES, 0.95)


def test_the_same_work_is_not_called_more_or_less():
    """In at most 1 % of cases, however much the counts differ."""
    for spread in (0.0002, 0.0015):
        found = decided(change=0.0, spread=spread, cases=CASES, rng=seeded())
        wrong = found.count("more") + found.count("less")
        assert wrong <= scipy.stats.binom.isf(SURE, CASES, 0.01)
