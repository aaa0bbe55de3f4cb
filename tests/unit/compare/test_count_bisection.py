"""A bisection from instruction counts finds the commit that changed them."""

import pytest

from windtunnel.compare.bisection import count_change, count_side, next_count
from windtunnel.compare.figures import explains
from windtunnel.model.schedule import InstructionCounts


def counts(level, *, spread=0.001, **what):
    """Counts at *level* instructions for five hash seeds."""
    return InstructionCounts(per_call=tuple(level * (1 + spread * seed / 4) for seed in range(5)), calls=10, **what)


def bisected(levels, broken=()):
    """What is left of commits with these *levels*, those at *broken* not buildable, and how many were counted."""
    good, last = counts(levels[0]), len(levels) - 1
    counted = {last: counts(levels[last])}
    while (left := next_count(good, len(levels), counted)).next is not None:
        found = None if left.next in broken else counts(levels[left.next])
        counted[left.next] = found
    return left, counted


@pytest.mark.parametrize("first_bad", [1, 2, 7, 16])
@pytest.mark.parametrize("factor", [1.02, 0.98])
def test_the_changed_commit_is_found_with_one_count_a_commit(first_bad, factor):
    """A change of 2 %, which time would not show in a few rounds; 16 commits need four counts more than the ends."""
    left, counted = bisected([1e6 if place < first_bad else factor * 1e6 for place in range(17)])
    assert (left.before, left.after, left.undecided) == (first_bad - 1, first_bad, ())
    assert len(counted) <= 6


@pytest.mark.parametrize(
    ("levels", "broken", "found"),
    [
        ([1e6, 1e6, 1.05e6, 1.05e6, 1.3e6, 1.3e6], (), (3, 4, ())),
        ([1e6] * 8 + [1.3e6] * 9, {7, 8, 9}, (6, 10, (7, 8, 9))),
    ],
    ids=["the larger of two steps", "commits that cannot be built"],
)
def test_counts_narrow_the_range_as_times_do(levels, broken, found):
    """The boundary is half of the total change, and what cannot be built leaves a range."""
    left, _ = bisected(levels, broken)
    assert (left.before, left.after, left.undecided) == found


def test_a_commit_at_half_of_the_change_is_undecided():
    """The spread over hash seeds is the noise."""
    good, bad = counts(1e6), counts(1.2e6)
    assert count_side(good, bad, counts(1.1e6)) == "undecided"
    assert count_side(good, bad, counts(1.11e6)) == "after"
    assert count_side(good, bad, counts(1.09e6)) == "before"


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (counts(1e6), counts(1.004e6)),
        (counts(1e6, spread=0.02), counts(1.05e6, spread=0.02)),
        (counts(1e6), counts(1.5e6, other_threads=True)),
        (InstructionCounts(reason="no valgrind"), counts(1e6)),
        (counts(0.0), counts(1e6)),
        (counts(float("nan")), counts(1e6)),
        (None, counts(1e6)),
    ],
    ids=["small", "noisy", "threads", "not counted", "zero", "not a number", "not built"],
)
def test_counts_that_do_not_differ_clearly_decide_nothing(good, bad):
    """Time decides then."""
    assert count_change(good, bad) is None


def test_a_clear_difference_is_a_relative_change():
    """Means over the hash seeds are compared."""
    assert count_change(counts(1e6), counts(1.3e6)) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("change", "expected", "yes"),
    [
        (0.3, 0.3, True),
        (0.1, 0.3, True),
        (0.01, 0.3, False),
        (-0.3, 0.3, False),
        (-0.3, -0.3, True),
        (0.01, None, True),
        (-1.0, 0.3, False),
    ],
)
def test_counts_decide_only_where_they_explain_the_change_of_time(change, expected, yes):
    """A commit with 1 % more instructions is not the cause of +30 % time."""
    assert explains(change, expected) is yes
