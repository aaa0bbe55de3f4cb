"""How often the interval of clustered trials contains the true rate; false alarms of one run are alike."""

import numpy as np
import pytest

from windtunnel.stats.intervals import clustered_proportion

SIMULATIONS = 150


def coverage(rate, alike, clusters, trials, seed):
    """The share of intervals with *rate*; the rates of clusters have a beta distribution with correlation *alike*."""
    rng = np.random.default_rng(seed)
    inside = 0
    for _ in range(SIMULATIONS):
        sizes = rng.integers(1, 2 * trials, clusters)
        both = np.array([rate, 1 - rate]) * (1 / alike - 1) if alike else None
        rates = rng.beta(*both, clusters) if both is not None else np.full(clusters, rate)
        found = clustered_proportion(rng.binomial(sizes, rates).tolist(), sizes.tolist())
        inside += found.low <= rate <= found.high
    return inside / SIMULATIONS


@pytest.mark.parametrize("clusters", [12, 60])
@pytest.mark.parametrize("rate", [0.001, 0.01, 0.9])
def test_independent_trials_are_covered(rate, clusters):
    """The confidence of 95 % is kept, with the slack of a discrete distribution."""
    assert coverage(rate, 0, clusters, 20, seed=clusters) >= 0.93


@pytest.mark.parametrize(
    ("rate", "clusters", "least"), [(0.1, 12, 0.88), (0.1, 40, 0.88), (0.9, 40, 0.88), (0.01, 150, 0.86)]
)
def test_trials_that_are_alike_within_a_run_are_covered_nearly(rate, clusters, least):
    """With a correlation of 0.1, where the interval of independent trials covers 70 to 76 %."""
    assert coverage(rate, 0.1, clusters, 20, seed=clusters) >= least
