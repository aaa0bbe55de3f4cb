"""What a run adds to error-rates.json: a verdict may be hostile, and concurrent jobs lose nothing."""

import itertools

import pytest
from builders.error_rates import a_checked_run
from builders.samples import a_context, paired_samples

from windtunnel.compare.decide import decide
from windtunnel.compare.error_rates_format import (
    ERROR_RATES_FORMAT,
    MAX_RUNS,
    ErrorRates,
    add_runs,
    build_self_check_run,
)
from windtunnel.compare.format import OUT_OF_TIME, SelfCheck
from windtunnel.errors import DataError

ORIGIN = {"run": "7", "date": "2026-11-22", "url": "https://github.com/o/p/actions/runs/7"}
CASES = [paired_samples("a"), paired_samples("b", 1.3, fresh=1.3), paired_samples("c", 0.7, fresh=0.7)]


def a_verdict(**what):
    """The verdict on three cases: one is unchanged, one slower, one faster."""
    return decide(a_context(**what), CASES)


def test_every_alarm_of_an_unchanged_commit_is_false():
    """Regressions and improvements."""
    found = build_self_check_run(a_verdict(self_check=SelfCheck()), **ORIGIN)
    assert (found.source, found.comparisons, found.alarms, found.opposite) == ("unchanged", 3, 2, 0)
    assert found.promised == 0.01


def test_only_regressions_find_a_built_in_slowdown():
    """A slowdown that was reported as an improvement is counted on its own."""
    found = build_self_check_run(a_verdict(self_check=SelfCheck(slowdown=0.05, achieved=0.051)), **ORIGIN)
    assert (found.source, found.comparisons, found.alarms, found.opposite) == ("slowdown", 3, 1, 1)
    assert (found.slowdown, found.achieved) == (0.05, 0.051)


def test_a_case_that_the_time_limit_cut_short_does_not_count():
    """It could not raise an alarm, so it says nothing about the rate."""
    cases = [*CASES, paired_samples("d", 1.3), paired_samples("e", 1.3, rounds=2)]
    context = a_context(self_check=SelfCheck(slowdown=0.05), notes=(OUT_OF_TIME,))
    assert len(decide(context, cases).comparisons) == 5
    assert build_self_check_run(decide(context, cases), **ORIGIN).comparisons == 3


def test_a_comparison_of_two_commits_is_not_a_self_check():
    """Its regressions may be real."""
    with pytest.raises(DataError, match="--self-check"):
        build_self_check_run(a_verdict(), **ORIGIN)


def test_no_verdict_makes_the_file_unreadable():
    """An entry is checked before it is added, as a reader of the file checks it."""
    with pytest.raises(DataError, match="commit"):
        build_self_check_run(a_verdict(head="x" * 5000, self_check=SelfCheck()), **ORIGIN)


def test_what_is_listed_stays_and_the_order_of_jobs_does_not_matter():
    """A job that lost a race adds its runs to what the other one wrote."""
    runs = [a_checked_run(run=str(number), date=f"2026-11-{number:02}") for number in (3, 1, 2)]
    results = {add_runs(add_runs(ErrorRates(), order[:1]), order[1:]) for order in itertools.permutations(runs)}
    assert results == {ErrorRates(runs=(runs[1], runs[2], runs[0]))}
    later = a_checked_run(run="1", date="2026-11-09", alarms=200)
    assert add_runs(next(iter(results)), [later]) in results


def test_the_file_is_bounded_and_a_run_that_left_does_not_come_back():
    """The newest runs are kept."""
    many = [a_checked_run(run=str(number), date=f"2026-{number // 200 + 1:02}-11") for number in range(MAX_RUNS + 9)]
    found = add_runs(ErrorRates(), many)
    assert len(found.runs) == MAX_RUNS
    assert add_runs(found, [min(many, key=lambda one: (one.date, one.run))]) == found


@pytest.mark.parametrize(
    "entry",
    [
        {"alarms": 201},
        {"alarms": -1},
        {"date": "2026-02-30"},
        {"date": "<script>"},
        {"url": "javascript:alert(1)"},
        {"run": "x" * 300},
        {"comparisons": 10**9},
    ],
)
def test_entries_that_cannot_be_right_are_refused(entry):
    """Anyone who can push to the results branch can write them."""
    with pytest.raises(DataError, match=r"error-rates\.json"):
        ERROR_RATES_FORMAT.decode(ERROR_RATES_FORMAT.encode(ErrorRates(runs=(a_checked_run(**entry),))), "it")


def test_a_run_is_listed_once():
    """A second entry would count it twice."""
    with pytest.raises(DataError, match="twice"):
        ERROR_RATES_FORMAT.decode(ERROR_RATES_FORMAT.encode(ErrorRates(runs=(a_checked_run(),) * 2)), "it")
