"""Finding the commit that made a benchmark slower."""

import pytest
from builders.bisections import bisected

from windtunnel.compare.bisection import ChangeFound, NoChangeFound


@pytest.mark.parametrize("first_bad", [1, 2, 7, 16])
@pytest.mark.parametrize("factor", [1.2, 0.8])
def test_the_commit_is_named(first_bad, factor):
    """Wherever it lies and whichever way the level moved."""
    levels = [1.0 if place < first_bad else factor for place in range(17)]
    answer, probes = bisected(levels)
    assert answer == ChangeFound(before=first_bad - 1, after=first_bad)
    assert answer.exact
    assert len(probes) <= 6


def test_two_commits_need_one_question():
    """Between neighbours there is nothing left to try."""
    answer, probes = bisected([1.0, 1.3])
    assert answer == ChangeFound(before=0, after=1)
    assert len(probes) == 1


def test_no_change_is_nothing_to_find():
    """Equal levels are measured to the last look, then said to be equal."""
    answer, probes = bisected([1.0] * 9)
    assert isinstance(answer, NoChangeFound)
    assert "36 rounds" in answer.reason
    assert len(probes) == 1


def test_a_bad_commit_that_cannot_be_measured_is_the_answer():
    """Without it there is nothing to look for; its reason is passed on."""
    answer, _ = bisected([1.0, 1.0, 1.5], broken={2})
    assert answer == NoChangeFound(reason="does not build")


def test_commits_that_cannot_be_measured_leave_a_range():
    """The answer names those between; commits around them are told all the same."""
    answer, _ = bisected([1.0] * 8 + [1.3] * 9, broken={7, 8, 9})
    assert (answer.before, answer.after) == (6, 10)
    assert [probe.position for probe in answer.undecided] == [7, 8, 9]
    assert not answer.exact


def test_a_commit_that_cannot_be_measured_elsewhere_does_no_harm():
    """Its neighbour is asked instead."""
    answer, _ = bisected([1.0] * 3 + [1.3] * 14, broken={8})
    assert answer == ChangeFound(before=2, after=3)


def test_a_commit_halfway_is_set_aside():
    """Two steps of equal size: the level between them lies on the fence, and the range says so."""
    answer, _ = bisected([1.0, 1.0, 1.21**0.5, 1.21, 1.21], spread=0.02)
    assert (answer.before, answer.after) == (1, 3)
    assert [probe.position for probe in answer.undecided] == [2]


def test_of_two_steps_the_larger_one_is_named():
    """The cut is at half of the whole change."""
    answer, _ = bisected([1.0, 1.0, 1.05, 1.05, 1.3, 1.3, 1.3])
    assert answer == ChangeFound(before=3, after=4)


def test_a_change_too_small_for_the_rounds_leaves_a_range_soon():
    """Three commits on the fence tell that others would be there too."""
    answer, probes = bisected([1.0] * 30 + [1.03] * 35, spread=0.03, seed=1)
    assert answer.before < 30 <= answer.after
    assert not answer.exact
    assert len(probes) <= 9
