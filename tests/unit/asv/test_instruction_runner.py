"""How many calls are counted, and what the counts of processes make of a call."""

import pytest

from windtunnel.asv.instruction_runner import FEW, MAX_CALLS, MAX_WARM_UP, PAIRS, CaseCount, choose_calls


@pytest.mark.parametrize(
    ("cost", "warm_up", "calls"),
    [
        (300, MAX_WARM_UP, MAX_CALLS),
        (100_000, MAX_WARM_UP, 32),
        (1_000_000, 4, 4),
        (6_000_000, 0, 1),
        (3_000_000_000, 0, 1),
        (-5, MAX_WARM_UP, MAX_CALLS),
    ],
)
def test_cheap_calls_are_counted_together_and_dear_ones_alone(cost, warm_up, calls):
    """About five million instructions are counted, in a power of two of calls."""
    assert choose_calls(cost, isolated=False) == (warm_up, calls)


def test_a_case_that_is_set_up_before_each_call_has_one_call():
    """The setup would be in the count of two."""
    assert choose_calls(300, isolated=True) == (MAX_WARM_UP, 1)


def test_a_small_difference_of_cost_changes_no_number_of_calls():
    """Base and head are counted over as many calls, so what happens every so many calls is in both."""
    assert choose_calls(100_000, isolated=False) == choose_calls(101_000, isolated=False)


class Totals(CaseCount):
    """Processes whose totals are known: the parent does 6,000 instructions from fork to fork, and more now and then."""

    def __init__(self, per_call, uneven=()):
        self._per_call, self._uneven, self._done, self._forks = per_call, uneven, 0, 0

    def _totals(self, *calls, apart=None):
        totals = []
        for number in calls:
            self._forks += 1
            self._done += 6_000 + (300 if self._forks in self._uneven else 0)
            totals.append(self._done + number * self._per_call)
        return totals


@pytest.mark.parametrize("uneven", [(), (2,), (3, 4), (1, 10, 11)])
def test_what_the_parent_does_is_not_in_the_count_of_a_cheap_call(uneven):
    """Neither what it does each time, nor what it does now and then."""
    assert Totals(330, uneven)._difference(1, pairs=PAIRS) == 330


def test_one_pair_is_enough_for_many_instructions():
    """What the parent does now and then is less than a part in five thousand of them."""
    assert Totals(FEW, (2,))._difference(1) == pytest.approx(FEW, rel=2e-4)
