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
from builders.records import a_record, a_task
from builders.trees import a_hash, a_row, a_run, a_tree
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.claims.board import claim_board
from windtunnel.claims.format import CLAIMS_FORMAT, Basis, Setting
from windtunnel.model.identity import Field, MachineName
from windtunnel.model.result import Failed, Interval, Measured, Skipped
from windtunnel.model.run import Machine
from windtunnel.model.run_format import CaseState

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


def test_a_process_is_one_observation():
    """The number of samples of a process does not matter."""
    few, many = (a_sampled(0.2, processes=2, each=each) for each in (3, 300))
    first, second = (only(decide(a_sleep_run(a_sampled(0.6, processes=2), side))).tests[0] for side in (few, many))
    assert first.interval == second.interval


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
    [("median", 2), ("minimum", 1), ("maximum", 10), ("mean", 13 / 3), ("p90", 8.4), ("p95", 9.2), ("p99", 9.84)],
)
def test_the_claim_chooses_the_statistic_of_a_process(statistic, ratio):
    """It is computed from the samples of each process."""
    base = Measured(value=1.0, samples=(1.0,) * 9, process_sizes=(3, 3, 3))
    tailed = Measured(value=2.0, samples=(1.0, 2.0, 10.0) * 3, process_sizes=(3, 3, 3))
    found = only(decide(a_sleep_run(base, tailed), claims=[THIRD + f'statistic = "{statistic}"']))
    assert found.tests[0].ratio == pytest.approx(ratio)


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


def test_the_preferred_load_that_was_measured_decides():
    """The load ``article`` is preferred to ``standard``, although ``standard`` is newer."""
    article = a_sleep_run(SYNC, a_sampled(0.2), load="article", commit=1)
    found = only(decide(article, a_sleep_run(SYNC, a_sampled(0.5), commit=2)))
    assert (found.decision, found.given) == (HOLDS, (Setting(name="load", value="'article'"),))
    assert (found.commit, found.date[:10]) == (a_hash(1), "2023-11-14")


def test_another_load_decides_nothing():
    """The claim does not allow the load ``quick``."""
    board = decide(a_sleep_run(SYNC, a_sampled(0.2), load="quick"))
    assert (only(board).decision, only(board).commit, board.is_decided) == (UNDECIDED, None, False)
    assert only(board).reason == "sleep.Sleep.time_run('gather', 'standard') not measured"


def test_the_newest_run_that_tried_all_cases_decides():
    """A run of half the cases does not hide an older complete run."""
    half = a_sleep_run(SYNC, Skipped(), commit=3)
    board = decide(a_sleep_run(SYNC, a_sampled(0.2), commit=2), a_sleep_run(SYNC, a_sampled(0.5), commit=1), half)
    assert (only(board).decision, only(board).commit) == (HOLDS, a_hash(2))
    assert only(decide(half)).reason.endswith("('gather', 'standard') not measured")


def test_a_failure_is_reported():
    """An older value does not hide a newer failure."""
    board = decide(a_sleep_run(SYNC, Failed(), commit=2), a_sleep_run(SYNC, a_sampled(0.2), commit=1))
    assert only(board).reason == "sleep.Sleep.time_run('gather', 'standard') failed"


@pytest.mark.parametrize(("state", "result"), [(CaseState.SKIPPED, Skipped()), (CaseState.FAILED, Failed())])
def test_the_reason_comes_from_the_run_record(state, result):
    """It may name a library that this Python does not support."""
    task = a_task(case="sleep.Sleep.time_run('gather', 'standard')", state=state, reason="log\nno gevent here\n")
    run = a_sleep_run(SYNC, result, commit=1)
    found = only(decide(run, records=[a_record(task)]))
    assert found.reason == f"sleep.Sleep.time_run('gather', 'standard') {state}: no gevent here"
    assert found.commit == a_hash(1)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("sleep.Sleep.time_run", "gone.Gone.time_run", "these results have no benchmark gone.Gone.time_run"),
        ('{ variant = "gather" }', '{ varient = "gather" }', "has no parameter 'varient'; it has variant, load"),
        ('{ variant = "gather" }', '{ variant = "gathr" }', "has no variant 'gathr'; it has 'sync', 'gather'"),
        ('given = { load = ["article", "standard"] }', "", "does not set load"),
    ],
)
def test_an_unknown_case_is_undecided(old, new, words):
    """Results may be older than the claim."""
    found = only(decide(a_sleep_run(SYNC, a_sampled(0.2)), claims=[THIRD.replace(old, new)]))
    assert found.decision is UNDECIDED
    assert words in found.reason


def test_results_of_another_benchmark_version_do_not_count():
    """asv treats them in the same way."""
    run = a_run(a_row(SLEEP, *[a_sampled(0.2)] * 6, version="0"))
    assert only(decide(run)).reason.endswith("not measured")


def test_seconds_and_bytes_have_no_ratio():
    """Both cases of a ratio need the same unit."""
    memory = replace(SLEEP, name="memory.Memory.time_run", unit="bytes")
    rows = a_row(SLEEP, *[SYNC] * 6), a_row(memory, *[SYNC] * 6)
    words = THIRD + 'baseline-benchmark = "memory.Memory.time_run"'
    found = only(claim_board(a_claims_file(words), a_tree(a_run(*rows), benchmarks=[SLEEP, memory]), []))
    assert found.reason == "seconds and bytes have no ratio"


def test_a_flip_between_commits_is_reported():
    """Undecided commits in between are skipped."""
    board = decide(
        a_sleep_run(SYNC, a_sampled(0.5), commit=4),
        a_sleep_run(SYNC, a_sampled(0.2, spread=0.3), commit=3),
        a_sleep_run(SYNC, a_sampled(0.2), commit=2),
        a_sleep_run(SYNC, a_sampled(0.2), commit=1),
    )
    (flip,) = board.commit_flips
    assert (flip.before, flip.before_commit, flip.after, flip.after_commit) == (HOLDS, a_hash(2), FAILS, a_hash(4))


def test_a_flip_between_pythons_is_reported():
    """Machine and load must be the same; an undecided claim is not a flip."""
    board = decide(
        a_sleep_run(SYNC, a_sampled(0.2), python="3.13"),
        a_sleep_run(SYNC, a_sampled(0.5), python="3.13t"),
        a_sleep_run(SYNC, a_sampled(0.2, spread=0.3), python="3.12"),
        a_sleep_run(SYNC, a_sampled(0.5), python="3.14", machine="other"),
        a_sleep_run(SYNC, a_sampled(0.5), python="3.14", load="article"),
    )
    (flip,) = board.target_flips
    assert (flip.machine, flip.holds, flip.fails) == ("desk", ("3.13",), ("3.13t",))


def test_every_machine_decides_claims():
    """A machine may measure older commits than another."""
    board = decide(
        a_sleep_run(SYNC, a_sampled(0.2), commit=5, machine="fast"),
        a_sleep_run(SYNC, a_sampled(0.2), commit=1, machine="slow", load="article"),
    )
    assert [(one.name, one.machine) for one in board.targets] == [("3.12, fast", "fast"), ("3.12, slow", "slow")]
    assert [one.decision for one in board.decisions] == [HOLDS, HOLDS]


OTHER = {"environment": "virtualenv-py3.12-joblib"}


def test_a_decision_remains_when_libraries_change():
    """It remains until the cases are measured again."""
    before = a_sleep_run(SYNC, a_sampled(0.2), commit=1)
    tried = Skipped(), a_sampled(0.5)
    board = decide(before, a_sleep_run(*tried, commit=2, **OTHER))
    (decision,) = board.decisions
    assert (decision.decision, decision.commit) == (HOLDS, a_hash(1))
    assert [(one.name, one.environment) for one in board.targets] == [("3.12", "virtualenv-py3.12-joblib")]
    board = decide(before, a_sleep_run(SYNC, a_sampled(0.5), commit=2, **OTHER))
    assert [(one.decision, one.commit) for one in board.decisions] == [(FAILS, a_hash(2))]
    assert len(board.commit_flips) == 1


def test_environments_of_the_same_commit_are_separate_targets():
    """A matrix may have two versions of a library."""
    board = decide(a_sleep_run(SYNC, a_sampled(0.2)), a_sleep_run(SYNC, a_sampled(0.5), **OTHER))
    assert [one.decision for one in board.decisions] == [HOLDS, FAILS]
    assert board.commit_flips == ()


def test_a_board_without_results_is_empty():
    """It has claims, but no targets and no decisions."""
    board = decide()
    assert (board.targets, board.decisions, len(board.claims)) == ((), (), 1)


VALUES = st.floats(allow_nan=False) | st.sampled_from([0.0, -1.0, 5e-324, 1.7e308, float("inf")])
SAMPLES = st.lists(VALUES, min_size=1, max_size=8)


def test_overflowing_values_decide_nothing():
    """Their mean is not finite."""
    huge = Measured(value=1.7e308, samples=(1.7e308,) * 4, process_sizes=(2, 2))
    found = only(decide(a_sleep_run(SYNC, huge), claims=[THIRD + 'statistic = "mean"']))
    assert found.reason == "no finite values"


@given(st.data())
def test_any_results_give_a_valid_board(data):
    """The board can be written and read."""

    def side():
        samples = tuple(data.draw(SAMPLES))
        sizes = data.draw(st.sampled_from([None, (len(samples),), (0, len(samples)), (1,) * len(samples)]))
        return Measured(
            value=data.draw(VALUES), samples=data.draw(st.sampled_from([samples, None])), process_sizes=sizes
        )

    board = decide(a_sleep_run(side(), side()))
    assert CLAIMS_FORMAT.decode(CLAIMS_FORMAT.encode(board), "claims.json") == board
