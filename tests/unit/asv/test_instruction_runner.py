"""How many calls are counted, and what the counts of processes make of a call."""

from types import SimpleNamespace

import pytest
from asv_runner.benchmarks.time import TimeBenchmark

from windtunnel.asv.instruction_runner import FEW, MAX_CALLS, MAX_WARM_UP, PAIRS, CaseCount, choose_calls
from windtunnel.asv.open_case import TimedCase


@pytest.mark.parametrize(
    ("cost", "isolated", "warm_up", "calls"),
    [
        (300, False, MAX_WARM_UP, MAX_CALLS),
        (300, True, MAX_WARM_UP, 1),
        (100_000, False, MAX_WARM_UP, 32),
        (1_000_000, False, 4, 4),
        (6_000_000, False, 0, 1),
        (3_000_000_000, False, 0, 1),
        (-5, False, MAX_WARM_UP, MAX_CALLS),
    ],
)
def test_cheap_calls_are_counted_together_and_dear_ones_alone(cost, isolated, warm_up, calls):
    """About five million instructions, in a power of two of calls; with a setup before each call, one call."""
    assert choose_calls(cost, isolated=isolated) == (warm_up, calls)


@pytest.mark.parametrize("number", [0, 1])
def test_before_asv_runner_0_3_a_sample_has_one_setup_and_many_calls(number, monkeypatch):
    """Unless the suite says that it has one call."""
    monkeypatch.delattr(TimeBenchmark, "_setup_isolates_timed_calls")
    case = TimedCase({"cache": None}, ".")
    source = SimpleNamespace(setup=lambda: None, number=number)
    case.benchmark = TimeBenchmark("jobs.time_one", lambda: None, [source])
    assert (case.open(), case.isolated) == ("", number == 1)


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
