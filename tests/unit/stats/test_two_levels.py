"""Samples with two levels are recognised, and samples of other shapes are not."""

import numpy as np
import pytest

from windtunnel.stats.two_levels import ERROR, split_levels

SAMPLES = 2000
SHAPES = {
    "normal": lambda rng, shape: rng.normal(0, 1, shape),
    "uniform, as of a machine that gets slower": lambda rng, shape: rng.random(shape),
    "exponential, as of waiting": lambda rng, shape: rng.exponential(1, shape),
    "one in ten far off": lambda rng, shape: (
        rng.normal(0, 0.01, shape) + np.where(rng.random(shape) < 0.1, rng.exponential(0.3, shape), 0)
    ),
}


def seeded():
    return np.random.default_rng(20261122)


def two_levels(count, *, share=0.5, distance=0.15, samples=SAMPLES):
    rng = seeded()
    upper = rng.random((samples, count)) < share
    return rng.normal(0, 0.0125, (samples, count)) + distance * upper, upper


@pytest.mark.parametrize(("count", "rate"), [(8, 0.035), (12, 0.03), (20, 0.015), (40, ERROR), (100, ERROR)])
def test_normal_values_seldom_appear_to_have_two_levels(count, rate):
    """The approximation of the test is coarse below 20 values. The margin is four standard errors."""
    found = split_levels(SHAPES["normal"](seeded(), (SAMPLES, count))).found.mean()
    assert found <= rate + 4 * np.sqrt(rate / SAMPLES)


@pytest.mark.parametrize("count", [40, 100])
@pytest.mark.parametrize("shape", list(SHAPES)[1:])
def test_other_shapes_of_one_level_are_not_two(count, shape):
    """They have no gap, or their upper part is not narrow."""
    assert split_levels(SHAPES[shape](seeded(), (SAMPLES, count))).found.mean() <= 0.06


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_two_levels_are_recognised(share):
    """Twenty values are enough where the levels are twelve standard deviations apart."""
    values, upper = two_levels(20, share=share)
    found = split_levels(values)
    enough = (upper.sum(axis=1) >= 3) & (upper.sum(axis=1) <= 17)
    assert found.found[enough].mean() > 0.99
    right = found.found & enough
    assert (found.is_upper[right] == upper[right]).mean() > 0.999
    assert found.distance[right].mean() == pytest.approx(0.15, abs=0.001)


def test_the_order_of_the_values_does_not_matter():
    """Neither do gaps between them."""
    values, _ = two_levels(20, samples=20)
    holes = np.insert(seeded().permuted(values, axis=1), [0, 7, 20], np.nan, axis=1)
    for name in ("found", "distance"):
        assert getattr(split_levels(holes), name) == pytest.approx(getattr(split_levels(values), name))
    assert not split_levels(holes).is_upper[:, 0].any()


def test_samples_of_different_sizes_are_split_together():
    """A sample ends where its values end."""
    values, _ = two_levels(20, samples=1)
    together = split_levels(np.concatenate([values, np.where(np.arange(20) < 12, values, np.nan)]))
    assert together.distance[1] == pytest.approx(split_levels(values[:, :12]).distance[0])


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_too_few_values_have_one_level(count):
    """Each level needs two values."""
    assert not split_levels(np.arange(count, dtype=float).reshape(1, count)).found[0]


def test_equal_values_have_one_level():
    """No split is better than another."""
    assert not split_levels(np.full((1, 20), 3.0)).found[0]


def test_levels_as_far_apart_as_the_resolution_are_one():
    """A coarse clock shows a few different values only."""
    values = np.tile([0.0, 0.001], (1, 10))
    assert split_levels(values).found[0]
    assert not split_levels(values, floor=0.001).found[0]


def test_a_single_value_far_off_is_not_a_level():
    """Something disturbed that process."""
    values = seeded().normal(0, 0.01, (1, 20))
    values[0, 5] = 0.5
    assert not split_levels(values).found[0]
