"""Distributions and profiles of samples."""

from dataclasses import replace

import pytest
from builders.trees import a_benchmark

from windtunnel.model.run import Failed, Interval, Measured, Skipped
from windtunnel.publish.figures import LEVELS, distribution, profiles
from windtunnel.publish.format.results import Distribution

PROFILE = replace(a_benchmark("scrape.peak_profile", unit="bytes"), type_word="profile")


def test_quantiles_are_those_of_the_samples():
    """Of 101 samples, each percentile is one of them."""
    found = distribution(Measured(value=50.0, samples=tuple(map(float, range(101))), process_sizes=(60, 41)))
    assert found == Distribution(quantiles=pytest.approx([100 * level for level in LEVELS]), processes=2)


def test_without_samples_only_quartiles_are_known():
    """asv stores them; other quantiles are unknown."""
    found = distribution(Measured(value=2.0, quartiles=Interval(low=1.0, high=3.0)))
    known = dict(zip(LEVELS, found.quantiles, strict=True))
    assert (known[0.25], known[0.5], known[0.75]) == (1.0, 2.0, 3.0)
    assert known[0.0] is known[0.99] is found.processes is None


@pytest.mark.parametrize(
    "result", [None, Failed(), Skipped(), Measured(value=1.0), Measured(value=1.0, samples=(float("inf"),))]
)
def test_without_samples_and_quartiles_there_is_no_distribution(result):
    """Infinite samples do not count."""
    assert distribution(result) is None


def test_a_profile_has_the_samples_of_each_process_in_order():
    """Other benchmarks have no profile, because the order of their samples has no meaning."""
    result = Measured(value=2.0, samples=(1.0, 3.0, 2.0, 4.0), process_sizes=(2, 2))
    assert profiles(PROFILE, result) == ((1.0, 3.0), (2.0, 4.0))
    assert profiles(a_benchmark(), result) == profiles(PROFILE, Failed()) == ()
