"""A bisection finds the commit that changed a case."""

import pytest
from builders.bisections import asked_alone, bisected

from windtunnel.compare.bisection import CommitRange


@pytest.mark.parametrize("first_bad", [1, 2, 7, 16])
@pytest.mark.parametrize("factor", [1.2, 0.8])
def test_the_changed_commit_is_found(first_bad, factor):
    """The position and the direction of the change do not matter."""
    levels = [1.0 if place < first_bad else factor for place in range(17)]
    answer, probes = bisected(levels)
    assert answer == CommitRange(before=first_bad - 1, after=first_bad)
    assert answer.exact
    assert len(probes) <= 6


def test_two_commits_need_one_comparison():
    """Between neighbours no other commit is left."""
    answer, probes = bisected([1.0, 1.3])
    assert answer == CommitRange(before=0, after=1)
    assert len(probes) == 1


def test_equal_commits_have_nothing_to_find():
    """They are measured until the last interim analysis."""
    answer, probes = bisected([1.0] * 9)
    assert isinstance(answer, str)
    assert "36 rounds" in answer
    assert len(probes) == 1


def test_a_bad_commit_that_cannot_be_measured_ends_the_search():
    """The answer has the reason."""
    answer, _ = bisected([1.0, 1.0, 1.5], broken={2})
    assert answer == "does not build"


def test_commits_that_cannot_be_measured_leave_a_range():
    """The answer names the commits between; the others are still decided."""
    answer, _ = bisected([1.0] * 8 + [1.3] * 9, broken={7, 8, 9})
    assert (answer.before, answer.after) == (6, 10)
    assert answer.undecided == (7, 8, 9)
    assert not answer.exact


def test_an_unmeasurable_commit_elsewhere_does_not_widen_the_answer():
    """Its neighbour is tested instead."""
    answer, _ = bisected([1.0] * 3 + [1.3] * 14, broken={8})
    assert answer == CommitRange(before=2, after=3)


def test_a_commit_at_half_of_the_change_is_undecided():
    """Two steps of equal size leave a range."""
    answer, _ = bisected([1.0, 1.0, 1.21**0.5, 1.21, 1.21], spread=0.02)
    assert (answer.before, answer.after) == (1, 3)
    assert answer.undecided == (2,)


def test_the_larger_of_two_steps_is_found():
    """The boundary is half of the total change."""
    answer, _ = bisected([1.0, 1.0, 1.05, 1.05, 1.3, 1.3, 1.3])
    assert answer == CommitRange(before=3, after=4)


def test_three_undecided_commits_end_the_search():
    """Other commits would be undecided as well."""
    answer, probes = bisected([1.0] * 30 + [1.03] * 35, spread=0.03, seed=1)
    assert answer.before < 30 <= answer.after
    assert not answer.exact
    assert len(probes) <= 9


@pytest.mark.parametrize(("level", "side"), [(1.3, "after"), (1.0, "before"), (1.3**0.5, "undecided")])
def test_a_package_is_also_asked_alone(level, side):
    """It may change the case only together with those that moved before it."""
    answer, found = asked_alone([1.0, 1.0, 1.0, 1.3, 1.3], level)
    assert answer == CommitRange(before=2, after=3)
    assert found == side
