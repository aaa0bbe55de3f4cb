"""Gaps between environments and machines without new results are found in a results tree."""

from dataclasses import replace

from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree

from windtunnel.bench.doctor import MAX_SILENCE, find_gaps, find_stale_machines
from windtunnel.model.run import Failed

SPAM = a_benchmark()


def a_row_started(at):
    return replace(a_row(SPAM), started_at=at)


def test_a_commit_without_values_in_one_environment_is_a_gap():
    """Every environment of a machine is expected to have values for the same commits."""
    tree = a_tree(
        a_run(a_row(SPAM), commit=1, python="3.12"),
        a_run(a_row(SPAM), commit=2, python="3.12"),
        a_run(a_row(SPAM), commit=1, python="3.13"),
    )
    assert list(find_gaps(tree)) == [f"{a_hash(2)[:8]} has no values in virtualenv-py3.13; other environments have"]


def test_a_run_that_only_failed_is_a_gap():
    """A run in which everything failed has no values."""
    tree = a_tree(
        a_run(a_row(SPAM), commit=1, python="3.12"),
        a_run(a_row(SPAM), commit=1, python="3.13"),
        a_run(a_row(SPAM), commit=2, python="3.12"),
        a_run(a_row(SPAM, Failed()), commit=2, python="3.13"),
    )
    assert ["virtualenv-py3.13" in gap for gap in find_gaps(tree)] == [True]


def test_gaps_are_searched_within_a_machine():
    """A machine is not expected to have the environments of another machine."""
    tree = a_tree(
        a_run(a_row(SPAM), machine="desk", python="3.12"), a_run(a_row(SPAM), machine="laptop", python="3.13")
    )
    assert list(find_gaps(tree)) == []


def test_a_machine_without_results_for_a_month_is_stale():
    """A machine is stale a month after its last result, if another machine has newer results."""
    tree = a_tree(
        a_run(a_row_started(1), machine="old"),
        a_run(a_row_started(MAX_SILENCE + 2), machine="new"),
        a_run(a_row_started(10), machine="steady"),
    )
    assert find_stale_machines(tree) == ("old",)
    assert find_stale_machines(a_tree()) == ()


def test_a_single_machine_is_never_stale():
    """Without results of another machine, the project may simply have paused."""
    assert find_stale_machines(a_tree(a_run(a_row_started(1)))) == ()
