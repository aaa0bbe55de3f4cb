"""Creep: reported where the levels really moved without a step, and ended where they moved on."""

import numpy as np
import pytest
from builders.histories import a_history, a_history_tree, detect, histories

from windtunnel.detect.format import ChangeKind, ChangeStatus, Direction

RELEASES = (20, 100, 180, 260)


def creeps(logs, releases=RELEASES):
    """The creeps of a case whose times have the logarithms *logs*."""
    tree = a_history_tree({"m.time_it": 0.1 * np.exp(logs)})
    found = detect(tree, a_history(len(logs), [each for each in releases if each < len(logs)]))
    return [change for change in found.changes if change.kind is ChangeKind.CREEP]


def quiet(points=200, noise=0.01):
    """A series with *noise*, in which a slow rise has no steps."""
    return histories(41, count=1, points=points)[0] * (noise / 0.022)


def ramp(points, first, last, rise):
    """A level that rises evenly by *rise* between the runs *first* and *last*, and stays."""
    return rise * np.clip((np.arange(points) - first) / (last - first), 0, 1)


def test_a_creep_has_the_levels_at_its_ends():
    """Both are levels that the series had."""
    logs = quiet() + ramp(200, 20, 180, 0.07)
    (*_, creep) = found = creeps(logs)
    assert creep.direction is Direction.REGRESSED
    for each in found:
        end = int(each.commit, 16) + 1
        assert each.after == pytest.approx(0.1 * np.exp(np.median(logs[end - 10 : end])), rel=1e-6)
        assert each.after > each.before


@pytest.mark.parametrize("seed", range(10))
def test_no_creep_goes_against_the_levels(seed):
    """Large steps down, and a slow rise between them: the level fell."""
    logs = histories(seed, count=1, points=300)[0] * 2 + ramp(300, 0, 300, 0.3)
    for start in (60, 130, 200, 270):
        logs[start:] -= 0.2
    for creep in creeps(logs):
        first, last = int(creep.previous_commit, 16) + 1, int(creep.commit, 16) + 1
        moved = np.median(logs[last - 10 : last]) - np.median(logs[first - 10 : first])
        assert (creep.after > creep.before) == (moved > 0)


@pytest.mark.parametrize("at", [60, 100, 140])
def test_a_step_is_never_a_creep(at):
    """Also where noise hides it from the search for steps: one step fits better than a straight line."""
    logs = histories(42, count=1, points=200)[0] * 6
    logs[at:] += 0.2
    assert creeps(logs) == []


def high_at_first(points, rise):
    """A series of which five of the first ten runs are up to 35 % slow, and whose level then moves by *rise*."""
    logs = quiet(points) + ramp(points, 20, 240, rise)
    logs[[0, 3, 4, 5, 7]] += (0.3, 0.3, 0.3, 0.3, 0.2)
    return logs


def test_a_few_high_runs_before_a_slow_fall_do_not_make_it_a_creep():
    """The level falls by 4 %, less than a creep; it would be 14 % with the median of the first ten runs."""
    assert creeps(high_at_first(260, -0.04), releases=()) == []


def test_a_creep_is_found_although_the_first_runs_are_high():
    """The level rises by 15 %, beyond the high runs' level by little; the next baseline has the level before."""
    (creep, *_) = creeps(high_at_first(300, 0.15), releases=())
    assert creep.before == pytest.approx(0.1, rel=0.05)


def test_a_creep_that_went_back_has_recovered():
    """The level is what it was before."""
    logs = quiet(300) + ramp(300, 20, 180, 0.07)
    logs[230:] -= 0.07
    found = creeps(logs)
    assert found
    assert {creep.status for creep in found if creep.direction is Direction.REGRESSED} == {ChangeStatus.RECOVERED}


def test_a_creep_before_another_change_is_superseded():
    """A step follows it."""
    logs = quiet(300) + ramp(300, 20, 180, 0.07)
    logs[230:] += 0.8
    assert {creep.status for creep in creeps(logs)} == {ChangeStatus.SUPERSEDED}


def test_a_creep_that_lasts_is_current():
    """The last one, where nothing follows."""
    assert creeps(quiet() + ramp(200, 20, 180, 0.07))[-1].status is ChangeStatus.CURRENT
