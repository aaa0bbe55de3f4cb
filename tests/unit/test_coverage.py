"""What a store lacks is found: holes between environments, machines that fell silent."""

from dataclasses import replace

from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree

from windtunnel.bench.doctor import STALE, Hole, holes, stale_machines
from windtunnel.model.result import Failed

SPAM = a_benchmark()


def a_row_started(at):
    return replace(a_row(SPAM), started_at=at)


def test_environment_without_values_is_a_hole():
    """Where one Python has values for a commit, the others should."""
    tree = a_tree(
        a_run(a_row(SPAM), commit=1, python="3.12"),
        a_run(a_row(SPAM), commit=2, python="3.12"),
        a_run(a_row(SPAM), commit=1, python="3.13"),
    )
    assert list(holes(tree)) == [Hole(machine="desk", commit=a_hash(2), environment="virtualenv-py3.13")]


def test_failures_alone_are_a_hole():
    """A run in which everything failed has no values."""
    tree = a_tree(
        a_run(a_row(SPAM), commit=1, python="3.12"),
        a_run(a_row(SPAM), commit=1, python="3.13"),
        a_run(a_row(SPAM), commit=2, python="3.12"),
        a_run(a_row(SPAM, Failed()), commit=2, python="3.13"),
    )
    assert [hole.environment for hole in holes(tree)] == ["virtualenv-py3.13"]


def test_machines_are_complete_each_for_itself():
    """A machine that never had an environment lacks nothing."""
    tree = a_tree(
        a_run(a_row(SPAM), machine="desk", python="3.12"), a_run(a_row(SPAM), machine="laptop", python="3.13")
    )
    assert list(holes(tree)) == []


def test_machine_without_results_for_a_month_is_stale():
    """Its series end there, and nobody says so otherwise."""
    tree = a_tree(
        a_run(a_row_started(1), machine="old"),
        a_run(a_row_started(STALE + 2), machine="new"),
        a_run(a_row_started(10), machine="steady"),
    )
    assert stale_machines(tree) == ("old",)
    assert stale_machines(a_tree()) == ()


def test_one_machine_is_never_stale():
    """There is nothing newer to compare with: a project that rests is not a machine that fell silent."""
    assert stale_machines(a_tree(a_run(a_row_started(1)))) == ()
