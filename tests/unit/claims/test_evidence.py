"""Ratios are estimated with an interval, from processes or samples."""

from dataclasses import replace

import pytest
from builders.claims_files import (
    HOLDS,
    SLEEP,
    THIRD,
    UNDECIDED,
    a_claims_file,
    a_sampled,
    a_sleep_run,
    a_sleep_tree,
    decide,
    only,
)
from builders.trees import a_row, a_run, a_tree

from windtunnel.claims.board import claim_board
from windtunnel.claims.format import Basis
from windtunnel.model.result import Interval, Measured

SYNC = a_sampled(0.6)


def test_a_process_is_one_observation():
    """The number of samples of a process does not matter."""
    few, many = (a_sampled(0.2, processes=2, each=each) for each in (3, 300))
    first, second = (only(decide(a_sleep_run(a_sampled(0.6, processes=2), side))).tests[0] for side in (few, many))
    assert first.interval == second.interval


def test_without_processes_samples_are_the_observations():
    """Results of asv do not record processes; an interval of 95 % needs six samples."""
    six = [replace(a_sampled(middle, processes=6, each=1), process_sizes=None) for middle in (0.6, 0.2)]
    found = only(decide(a_sleep_run(*six)))
    assert (found.decision, found.tests[0].basis, found.tests[0].contender.processes) == (HOLDS, Basis.SAMPLES, 0)
    assert found.confidence == pytest.approx(0.96875)
    five = [replace(a_sampled(middle, processes=5, each=1), process_sizes=None) for middle in (0.6, 0.2)]
    assert only(decide(a_sleep_run(*five))).reason == "too few samples for an interval; it needs 6"


def test_stored_intervals_without_samples_decide():
    """They remain when samples are deleted."""
    sides = [Measured(value=middle, interval=Interval(low=middle * 0.99, high=middle * 1.01)) for middle in (0.6, 0.2)]
    assert only(decide(a_sleep_run(*sides))).decision is HOLDS
    assert only(decide(a_sleep_run(Measured(value=0.6), sides[1]))).decision is UNDECIDED


def test_a_percentile_needs_processes():
    """Without processes, only the median can be estimated."""
    six = [replace(a_sampled(middle, processes=6, each=1), process_sizes=None) for middle in (0.6, 0.2)]
    found = only(decide(a_sleep_run(*six), claims=[THIRD + 'statistic = "p99"']))
    assert found.reason == "the results do not record processes, which p99 needs"


@pytest.mark.parametrize(
    ("statistic", "ratio"),
    [
        ("median", 2),
        ("minimum", 1),
        ("maximum", 10),
        ("mean", 13 / 3),
        ("p90", 8.4),
        ("p95", 9.2),
        ("p99", 9.84),
        ("maximum-by-median", 5),
    ],
)
def test_the_claim_chooses_the_statistic_of_a_process(statistic, ratio):
    """It is computed from the samples of each process."""
    base = Measured(value=1.0, samples=(1.0,) * 9, process_sizes=(3, 3, 3))
    tailed = Measured(value=2.0, samples=(1.0, 2.0, 10.0) * 3, process_sizes=(3, 3, 3))
    found = only(decide(a_sleep_run(base, tailed), claims=[THIRD + f'statistic = "{statistic}"']))
    assert found.tests[0].ratio == pytest.approx(ratio)
    assert found.tests[0].contender.unit == ("unit" if statistic == "maximum-by-median" else "seconds")


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_values_without_a_ratio_are_undecided(value):
    """Zero and negative values have no ratio."""
    odd = Measured(value=value, samples=(value,) * 4, process_sizes=(2, 2))
    for sides in ((SYNC, odd), (odd, SYNC), (replace(odd, process_sizes=None), SYNC)):
        assert "has no ratio" in only(decide(a_sleep_run(*sides))).reason


def test_equal_times_still_have_an_interval():
    """Times have a spread of at least a thousandth; equal counts are exact."""
    sides = a_sampled(0.6, spread=0), a_sampled(0.2, spread=0)
    found = only(decide(a_sleep_run(*sides))).tests[0]
    assert found.interval.high / found.interval.low > 1.001
    tree = a_sleep_tree(a_sleep_run(*sides))
    counts = replace(tree, benchmarks=(replace(SLEEP, type_word="track", unit="unit"),))
    exact = only(claim_board(a_claims_file(), counts, [])).tests[0]
    assert exact.interval.low == exact.interval.high == exact.ratio == pytest.approx(1 / 3)


def test_seconds_and_bytes_have_no_ratio():
    """Both cases of a ratio need the same unit."""
    memory = replace(SLEEP, name="memory.Memory.time_run", unit="bytes")
    rows = a_row(SLEEP, *[SYNC] * 6), a_row(memory, *[SYNC] * 6)
    words = THIRD + 'baseline-benchmark = "memory.Memory.time_run"'
    found = only(claim_board(a_claims_file(words), a_tree(a_run(*rows), benchmarks=[SLEEP, memory]), []))
    assert found.reason == "seconds and bytes have no ratio"


def test_overflowing_values_decide_nothing():
    """Their mean is not finite."""
    huge = Measured(value=1.7e308, samples=(1.7e308,) * 4, process_sizes=(2, 2))
    found = only(decide(a_sleep_run(SYNC, huge), claims=[THIRD + 'statistic = "mean"']))
    assert found.reason == "no finite values"
