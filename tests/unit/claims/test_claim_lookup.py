"""The cases of a claim are found in the runs of a target."""

import pytest
from builders.claims_files import (
    HOLDS,
    SLEEP,
    THIRD,
    UNDECIDED,
    a_sampled,
    a_sleep_run,
    decide,
    only,
)
from builders.records import a_record, a_task
from builders.trees import a_hash, a_row, a_run

from windtunnel.claims.format import Setting
from windtunnel.model.result import Failed, Skipped
from windtunnel.model.run_format import CaseState

SYNC = a_sampled(0.6)


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
