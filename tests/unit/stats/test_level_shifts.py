"""Changes of level: found where they are, when they are believed, and what is never one."""

import numpy as np
import pytest
from builders.examples import examples
from builders.histories import NOISE, histories
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.stats.change_points import (
    CHANGE_PENALTY,
    LEVEL_SPACING,
    LevelPaths,
    find_change_points,
    level_grid,
    max_costs,
)
from windtunnel.stats.level_shifts import SeriesObservations, find_shifts
from windtunnel.stats.special import noise_scale


def shifts(values, weights=None, least_noise=0.001):
    values = np.asarray(values, dtype=float)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    (levels,) = find_shifts([SeriesObservations(values=values, weights=weights, least_noise=least_noise)])
    return levels.shifts


def positions(values, weights=None):
    return [shift.position for shift in shifts(values, weights)]


def noise(points=200, seed=0):
    return histories(seed, count=1, points=points)[0]


@pytest.mark.parametrize("step", [0.2, -0.2])
def test_a_step_is_found_at_its_first_point(step):
    """The direction does not matter."""
    values = noise()
    values[120:] += step
    (shift,) = shifts(values)
    assert shift.position == shift.earliest == shift.latest == 120
    assert shift.after - shift.before == pytest.approx(step, abs=0.01)
    assert shift.chance < 0.001


@pytest.mark.parametrize(("seen", "found"), [(2, []), (3, [197])])
def test_a_new_level_needs_three_points(seen, found):
    """Two distant points are outliers."""
    values = noise()
    values[197 : 197 + seen] += 1.0
    assert positions(values[: 197 + seen]) == found


def test_an_outlier_of_any_size_is_not_a_change():
    """Single runs may be off by a factor of a thousand."""
    values = noise()
    values[[20, 60, 61, 130]] += [7, -7, 7, 3]
    assert positions(values) == []


def test_frequent_outliers_in_a_row_are_not_a_change():
    """A series with a second value in every third run shows it three times in a row by chance."""
    values = noise()
    values[::3] += 0.5
    values[-3:] = 0.5
    assert positions(values) == []


def test_all_of_several_steps_are_found():
    """A return to an old level is a step as well."""
    values = noise(300)
    values[50:100] += 0.3
    values[100:180] += 0.1
    values[250:] -= 0.5
    assert positions(values) == [50, 100, 180, 250]


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 5.0], [2.0] * 50])
def test_few_or_constant_points_have_no_change(values):
    """They are not an error either."""
    assert positions(values) == []


def test_a_step_without_noise_is_found():
    """Memory and counters have no spread."""
    (shift,) = shifts([4.0] * 20 + [4.5] * 3)
    assert (shift.position, shift.before, shift.after) == (20, 4.0, 4.5)
    assert np.isfinite(shift.error)


def test_one_tick_of_a_coarse_clock_is_not_a_change():
    """The value alternates between two neighbours."""
    assert positions(np.where(np.random.default_rng(3).random(100) < 0.15, 1.1, 1.0)) == []


@pytest.mark.parametrize(("step", "expected"), [(0.05, []), (0.5, [180])])
def test_points_of_low_weight_show_large_steps_only(step, expected):
    """A weight of 1/16 means four times the noise."""
    values = noise()
    values[180:] += step
    assert positions(values, np.where(np.arange(200) < 180, 1, 1 / 16)) == expected


def test_points_without_weight_are_gaps():
    """They neither start nor end a level."""
    values = noise()
    values[100:] += 0.2
    values[50:60] += 5
    weights = np.ones(200)
    weights[50:60] = 0
    assert positions(values, weights) == [100]


def test_persistent_noise_is_not_a_change():
    """Few of 60 series with correlated noise (r = 0.7) show a change."""
    wandering = np.random.default_rng(4).normal(0, NOISE, (60, 300))
    for point in range(1, 300):
        wandering[:, point] += 0.7 * wandering[:, point - 1]
    assert sum(bool(positions(values)) for values in wandering) <= 6


def test_the_range_of_an_uncertain_position_contains_the_true_one():
    """A small step cannot be located exactly."""
    held = 0
    for values in histories(5, count=40, step=0.05, after=60):
        (shift,) = shifts(values)
        held += shift.earliest <= 140 <= shift.latest
        assert shift.earliest <= shift.position <= shift.latest
    assert held >= 34


@examples(50)
@given(factor=st.floats(1e-6, 1e6), offset=st.floats(-1e3, 1e3))
def test_the_unit_of_the_values_does_not_matter(factor, offset):
    """Another factor or offset gives the same points."""
    values = noise(60)
    values[40:] += 0.3
    (levels,) = find_shifts(
        [SeriesObservations(values=values * factor + offset, weights=np.ones(60), least_noise=1e-9 * factor)]
    )
    assert [shift.position for shift in levels.shifts] == [40]


@examples(50)
@given(st.lists(st.floats(-1e9, 1e9), max_size=60))
def test_shifts_are_ordered_and_inside_the_series(values):
    """Positions ascend and leave three points on each side, for any finite data."""
    found = positions(values)
    assert found == sorted(set(found))
    assert all(3 <= position <= len(values) - 3 for position in found)


def test_a_batch_gives_the_same_shifts_as_single_series():
    """Series of different lengths and spreads do not influence each other."""
    batch = [noise(points, seed) for seed, points in enumerate((5, 40, 200, 333))]
    batch[2][150:] += 0.2
    together = find_shifts([SeriesObservations(values=v, weights=np.ones(len(v)), least_noise=0.001) for v in batch])
    assert [levels.shifts for levels in together] == [shifts(values) for values in batch]


def test_a_point_can_be_added_without_a_new_search():
    """The recursion then has the same result as a search of the whole series."""
    values = noise() / NOISE
    values[150:] += 5
    paths = LevelPaths.start_at([level_grid(values)])
    for value in values:
        paths.advance(np.array([[value]]), np.ones((1, 1)), np.array([CHANGE_PENALTY]))
    assert paths.change_points() == find_change_points([values], [np.ones(200)], [1.0]) == ((150,),)


def test_no_segmentation_costs_less_than_the_one_that_is_found():
    """Every segmentation of short series into levels of their grids is tried, also where a batch has larger grids."""
    rng = np.random.default_rng(3)
    batch = [noise(points, seed) / NOISE for seed, points in enumerate((3, 20, 30, 40))]
    batch.append(np.repeat([-20.1, 20.1], 12) + 0.1 * rng.standard_normal(24))
    for values in batch[1:4]:
        values[len(values) // 2 :] += rng.choice([-3, 0, 6])
        values[rng.integers(len(values))] = 50
    weights = [rng.choice([0.3, 1.0, 2.0], len(values)) for values in batch]
    found = find_change_points(batch, weights, [1.0] * len(batch))
    assert found == tuple(map(cheapest, batch, weights))
    assert [len(starts) for starts in found].count(0) < len(batch)


def cheapest(values, weights):
    """The starts of the segmentation with the lowest cost, from the costs of all segments at all levels."""
    own = np.minimum(weights[:, None] * (values[:, None] - level_grid(values)) ** 2, max_costs(weights)[:, None])
    best = [(-CHANGE_PENALTY, ())]
    for end in range(1, len(values) + 1):
        segments = ((float(own[start:end].sum(axis=0).min()), start) for start in range(end))
        best.append(min((best[start][0] + CHANGE_PENALTY + cost, (*best[start][1], start)) for cost, start in segments))
    return best[-1][1][1:]


def test_levels_lie_near_the_data():
    """A step of a thousand noise widths adds two levels to the grid."""
    assert list(level_grid(np.array([0.0] * 10 + [1000.0] * 10))) == [0.0, 1000.0]
    assert LEVEL_SPACING < 1


def test_the_noise_scale_ignores_steps_and_outliers():
    """It is the noise of a single level."""
    values = noise(400)
    values[100:] += 1
    values[250:] -= 3
    values[::20] += 2
    assert noise_scale(values) == pytest.approx(NOISE, rel=0.2)
