"""The rates that docs/measurements/error-rates.md states of instructions, on fewer seeded simulations."""

import os

import pytest
import scipy
from calibration.instructions import NOISES, THRESHOLD, found_shares, gate_rate

COUNT = 4000 if os.environ.get("WINDTUNNEL_CALIBRATION") == "full" else 60
DOUBT = 0.001


@pytest.mark.parametrize(
    ("noise", "change"),
    [(noise, 0.0) for noise in NOISES]
    + [(noise, THRESHOLD) for noise in NOISES if not noise.startswith("two levels")],  # the docs state 3.9 %
)
def test_the_gate_rarely_fails_without_cause(noise, change):
    """At most 1 % of comparisons fail, also with 40 cases at their threshold, unless seeds have two levels."""
    failed = round(COUNT * gate_rate(noise, change, COUNT))
    assert scipy.stats.binom.sf(failed - 1, COUNT, 0.01) > DOUBT, failed


def test_small_changes_show_in_counts():
    """+0.3 % is more work in at least 95 % of cases whose seeds differ by 0.01 %; no change is hardly ever work."""
    noise = "normal, 0.01 %"
    assert found_shares(noise, 0.003, 200)["more"] >= 0.95
    assert found_shares(noise, 0.0, 200)["same"] >= 0.99
