"""Series that flip between two levels: their flips are no changes, and a change of how often they flip is one."""

import numpy as np
import pytest
from builders.histories import NOISE, histories, two_level_histories

from windtunnel.stats.level_flips import find_flips
from windtunnel.stats.level_shifts import SeriesObservations, find_shifts


def levels_of(values):
    """The changes of *values*."""
    (levels,) = find_shifts([SeriesObservations(values=values, weights=np.ones(len(values)), least_noise=0.001)])
    return levels


def examined(values, starts):
    """What flips in *values* with changes at *starts*, in units of the noise."""
    return find_flips(values / NOISE, starts, 0.05)


@pytest.mark.parametrize("gap", [0.15, 0.3])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
def test_flips_between_two_levels_are_no_changes(gap, share):
    """Whatever the shares of the levels are."""
    series = two_level_histories(1, count=20, points=400, gap=gap, share=share)
    assert [values.tolist() for values in series if levels_of(values).shifts] == []


def test_the_levels_and_the_share_of_a_series_that_flips_are_known():
    """They are those of the part that flips."""
    (values,) = two_level_histories(2, count=1, points=300, gap=0.3, share=0.4)
    (stretch,) = examined(values, (100, 104)).stretches
    assert (stretch.start, stretch.end, stretch.flips) == (0, 300, 2)
    assert stretch.low * NOISE == pytest.approx(0, abs=0.01)
    assert stretch.high * NOISE == pytest.approx(np.log(1.3), abs=0.01)
    assert stretch.share == pytest.approx(0.4, abs=0.1)


def test_a_change_of_the_share_is_found_as_that():
    """A fifth of the runs is slow, then four fifths are."""
    (values,) = two_level_histories(9, count=1, points=200, share=0.2, later=0.8, after=80)
    flips = examined(values, (120,))
    (change,) = flips.changes
    assert flips.kept == ()
    assert abs(change.position - 120) <= 5
    assert (change.shares.before, change.shares.after) == (pytest.approx(0.2, abs=0.1), pytest.approx(0.8, abs=0.1))
    assert change.chance < 0.001


def test_a_shift_of_shares_has_the_means_as_levels():
    """So its size is what it costs on average."""
    (values,) = two_level_histories(3, count=1, points=200, share=0.2, later=0.8, after=80)
    (shift,) = levels_of(values).shifts
    assert shift.shares is not None
    assert shift.after - shift.before == pytest.approx(0.6 * np.log(1.3), abs=0.05)


def test_a_step_of_both_levels_is_a_change_of_level():
    """The parts before and after it flip, and it stays."""
    (values,) = two_level_histories(4, count=1, points=300, gap=0.3, share=0.4)
    values[150:] += 1.0
    shifts = levels_of(values).shifts
    assert [shift.position for shift in shifts] == [150]
    assert shifts[0].shares is None


def test_flips_around_a_change_are_seen_although_the_series_wanders_later():
    """The 60 points on either side of a change show whether it is a flip."""
    values = two_level_histories(8, count=1, points=300, gap=0.2, share=0.35)[0]
    values[60:66] = np.log(1.2)
    values[150:] += np.linspace(0, 3, 150)
    assert examined(values, (60, 66)).kept == ()


@pytest.mark.parametrize("tails", [False, True])
def test_steps_to_levels_that_last_are_no_flips(tails):
    """Slower, fixed, slower again and fixed again, with single slow runs between."""
    values = histories(5, count=1, points=300, tails=tails)[0]
    starts = (60, 120, 180, 240)
    for start in starts[::2]:
        values[start : start + 60] += 0.3
    flips = examined(values, starts)
    assert (flips.kept, flips.stretches) == (starts, ())


def test_a_lasting_move_to_one_of_two_levels_is_a_step():
    """After 100 runs that flip, the upper level holds: nearly no share before, all after."""
    (values,) = two_level_histories(6, count=1, points=200, share=0.08, later=1.0, after=60)
    (shift,) = levels_of(values).shifts
    assert shift.shares is None
    assert abs(shift.position - 140) <= 2


def test_a_lasting_move_is_found_away_from_the_changes_that_were_searched():
    """The search may have placed it elsewhere."""
    (values,) = two_level_histories(4, count=1, points=200, share=0.1, later=1.0, after=20)
    assert 180 in examined(values, (100,)).kept


def test_runs_that_stay_for_some_time_count_less():
    """States that last about four runs by chance show no change of shares."""
    rng = np.random.default_rng(7)
    is_high = np.cumsum(rng.random((30, 300)) < 0.25, axis=1) % 2 == 1
    series = rng.normal(0, NOISE, is_high.shape) + 0.3 * is_high
    shares = [shift for values in series for shift in levels_of(values).shifts if shift.shares]
    assert len(shares) <= 1
