"""Claims are decided from intervals, never from point values."""

from dataclasses import replace

import pytest
from builders.claims_files import (
    FAILS,
    HOLDS,
    OUT,
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

from windtunnel.claims.board import claim_board
from windtunnel.claims.format import Basis
from windtunnel.model.identity import Field, MachineName
from windtunnel.model.result import Measured
from windtunnel.model.run import Machine

SYNC = a_sampled(0.6)


@pytest.mark.parametrize(
    ("gather", "decision"),
    [
        (a_sampled(0.2), HOLDS),
        (a_sampled(0.3), FAILS),
        (a_sampled(0.1), FAILS),
        (a_sampled(0.2, spread=0.2), UNDECIDED),
        (a_sampled(0.2058), UNDECIDED),
    ],
)
def test_a_claim_is_decided_by_where_the_whole_interval_lies(gather, decision):
    """Within the band, outside it, or neither; the ratio itself does not matter."""
    found = only(decide(a_sleep_run(SYNC, gather)))
    test = found.tests[0]
    assert found.decision is test.decision is decision
    assert test.interval.low < test.ratio < test.interval.high
    assert (found.confidence, test.basis, test.contender.processes) == (0.95, Basis.PROCESSES, 4)
    assert bool(found.reason) is (decision is UNDECIDED)


def test_an_undecided_claim_reports_how_many_processes_it_needs():
    """That many processes of the same spread decide it."""
    found = only(decide(a_sleep_run(a_sampled(0.6, spread=0.04), a_sampled(0.2, spread=0.04)))).tests[0]
    assert found.decision is UNDECIDED
    assert f"needs {found.processes_needed} more processes a side" in found.reason
    more = 4 + found.processes_needed
    assert only(decide(a_sleep_run(*(_spread(middle, more) for middle in (0.6, 0.2))))).decision is HOLDS
    assert only(decide(a_sleep_run(*(_spread(middle, more - 2) for middle in (0.6, 0.2))))).decision is UNDECIDED


def _spread(middle, processes):
    """As many processes with the deviation that four of a spread of 4 % have."""
    deviation = 0.04 * (20 / 27) ** 0.5
    places = [(-1) ** index * deviation * ((processes - 1) / processes) ** 0.5 for index in range(processes)]
    samples = tuple(middle * (1 + place) for place in places)
    return Measured(value=middle, samples=samples, process_sizes=(1,) * processes)


def test_one_process_decides_nothing():
    """It does not show how much processes differ."""
    found = only(decide(a_sleep_run(a_sampled(0.6, processes=1), a_sampled(0.2, processes=1))))
    assert found.decision is UNDECIDED
    assert found.reason == "one process on a side does not show how much processes differ; needs 1 more process a side"
    assert (found.tests[0].interval, found.tests[0].processes_needed) == (None, 1)
    assert found.tests[0].contender.value == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("band", "decision"), [("between = [1, 2]", HOLDS), ("below = 1", FAILS), ("above = 1", FAILS)]
)
def test_both_ends_belong_to_a_band_and_a_single_one_does_not(band, decision):
    """A ratio of exactly 1 is between 1 and 2, but neither above nor below 1."""
    tree = a_sleep_tree(a_sleep_run(a_sampled(8, spread=0), a_sampled(8, spread=0)))
    counts = replace(tree, benchmarks=(replace(SLEEP, type_word="track", unit="unit"),))
    claims = a_claims_file(THIRD.replace("ratio = 0.3333\ntolerance = 0.03", band))
    assert only(claim_board(claims, counts, [])).decision is decision


TWICE = (
    THIRD.replace("ratio = 0.3333\ntolerance = 0.03", "")
    + """
[[claim.test]]
above = 0.3
[[claim.test]]
below = BELOW
"""
)


@pytest.mark.parametrize(
    ("below", "decision", "decisive"), [("0.4", HOLDS, 0), ("0.2", FAILS, 1), ("0.3334", UNDECIDED, 1)]
)
def test_a_claim_holds_if_all_its_tests_hold(below, decision, decisive):
    """It fails if any test fails; the tests share the probability of a miss."""
    found = only(decide(a_sleep_run(SYNC, a_sampled(0.2)), claims=[TWICE.replace("BELOW", below)]))
    assert (found.decision, found.decisive) == (decision, decisive)
    assert found.reason == found.tests[decisive].reason
    assert [test.confidence for test in found.tests] == [pytest.approx(0.975)] * 2
    assert found.confidence == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("scope", "python", "reason"),
    [
        ('python = "pypy.*"', "3.13", "the claim is about Pythons that match pypy.*"),
        ("gil = true", "3.13t", "the claim is about Pythons with the global interpreter lock"),
        ("gil = false", "pypy3.11", "the claim is about Pythons without the global interpreter lock"),
        ("cores = 4", "3.13", "the claim is about 4 or more cores"),
    ],
)
def test_a_claim_has_a_scope(scope, python, reason):
    """It depends on the Python, the interpreter lock and the cores."""
    machine = Machine(name=MachineName("desk"), details=(Field(name="num_cpu", json='"2"'),))
    tree = replace(a_sleep_tree(a_sleep_run(SYNC, a_sampled(0.2), python=python)), machines=(machine,))
    found = only(claim_board(a_claims_file(THIRD + f"scope = {{ {scope} }}"), tree, []))
    assert (found.decision, found.reason, found.tests) == (OUT, reason, ())


@pytest.mark.parametrize(("cores", "low"), [('"2"', 1.4), ("64", 10.5), (None, None), ('"many"', None), ('"0"', None)])
def test_a_band_can_be_a_share_of_the_cores(cores, low):
    """Here at most 15 count; a machine with unknown cores decides nothing."""
    details = () if cores is None else (Field(name="num_cpu", json=cores),)
    machine = Machine(name=MachineName("desk"), details=details)
    tree = replace(a_sleep_tree(a_sleep_run(SYNC, a_sampled(0.2))), machines=(machine,))
    words = THIRD.replace("ratio = 0.3333\ntolerance = 0.03", "above-per-core = 0.7\nmax-cores = 15")
    found = only(claim_board(a_claims_file(words), tree, []))
    assert found.tests[0].low == (None if low is None else pytest.approx(low))
    assert ("how many cores" in found.reason) is (low is None)
