"""Where a change is placed, and what is not missed: shapes that public histories have."""

import numpy as np
import pytest
from builders.histories import histories

from windtunnel.stats.level_shifts import SeriesObservations, find_shifts


def shifts(values):
    """The changes of *values*."""
    (levels,) = find_shifts([SeriesObservations(values=values, weights=np.ones(len(values)), least_noise=0.001)])
    return levels.shifts


def positions(values):
    """Where they are."""
    return [shift.position for shift in shifts(values)]


def quiet(points=120, seed=31, noise=0.005):
    """A series with *noise*, 0.5 % unless given."""
    return histories(seed, count=1, points=points)[0] * (noise / 0.022)


def test_a_large_step_is_exact_although_the_first_new_runs_are_outliers():
    """438 µs, then 32 µs: the first two new runs are 4 % off their level, and 13 times as far from the old one."""
    values = quiet()
    values[70:] += np.log(32 / 438)
    values[70:72] += (0.04, 0.05)
    (shift,) = shifts(values)
    assert (shift.position, shift.earliest, shift.latest) == (70, 70, 70)


def test_a_large_step_is_exact_although_the_last_old_runs_are_outliers():
    """-98 %, after two runs that are 5 % slower than the level before."""
    values = quiet()
    values[70:] += np.log(0.02)
    values[68:70] += (0.04, 0.05)
    assert positions(values) == [70]


def test_a_fall_is_not_placed_where_the_value_rose():
    """-53 %, after a single run that is 60 % slower than the level before: it belongs to that level."""
    values = quiet(noise=0.02)
    values[71:] += np.log(0.47)
    values[70] = np.log(1.6)
    (shift,) = shifts(values)
    assert (shift.position, shift.earliest) == (71, 71)


def test_a_run_between_two_levels_belongs_to_the_nearer_one():
    """The candidates are still all commits at which the change may lie."""
    values = quiet()
    values[70:] += 1.0
    values[70] = 0.8
    values[69] = 0.2
    (shift,) = shifts(values)
    assert shift.position == 70


def test_an_outlier_far_from_both_levels_leaves_the_position_open():
    """It fits neither level, so the commit before it and that after it may both be the change."""
    values = quiet()
    values[70:] += 0.1
    values[70] = 2.0
    (shift,) = shifts(values)
    assert shift.earliest <= 70 <= 71 <= shift.latest


def test_two_steps_with_nine_quiet_runs_between_are_found():
    """-16 %, and nine runs later -56 %, in a long series."""
    values = quiet(400, noise=0.03)
    values[200:209] *= 0.1
    values[200:] += np.log(0.84)
    values[209:] += np.log(0.44)
    assert positions(values) == [200, 209]


@pytest.mark.parametrize("seed", range(5))
def test_twice_as_slow_for_eight_runs_is_found(seed):
    """In an unsteady series, which never was as slow before."""
    values = quiet(300, seed, noise=0.08)
    values[150:158] += np.log(2)
    assert positions(values) == [150, 158]


def test_a_large_step_beside_a_small_one_without_evidence_is_found():
    """What is removed beside it does not take it along."""
    values = quiet(200, noise=0.02)
    values[100:] += 0.6
    values[94:100] += 0.06
    assert 100 in positions(values)
