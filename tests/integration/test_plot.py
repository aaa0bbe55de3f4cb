"""Pictures of a benchmark: equal results make equal bytes, and what is missing is said."""

import io
import sys
from math import isfinite

import pytest
from builders.histories import a_history_tree
from builders.sites import a_full_tree
from builders.trees import a_benchmark, a_row, a_run, a_tree, a_value

from windtunnel import cli
from windtunnel.errors import ExitCode
from windtunnel.model.commit_history import history_by_date
from windtunnel.model.result import Failed
from windtunnel.publish.plot import plot_lines
from windtunnel.results.tree import write_tree


@pytest.fixture
def results(tmp_path):
    """A benchmark of thirty commits, as files."""
    tree = a_history_tree({"b.time_it": [1.0 + 0.01 * (index % 3) for index in range(30)]})
    write_tree(tree, tmp_path / "results")
    return tmp_path / "results"


def plot(results, name, out, *more):
    """Draw; return exit code and what was said."""
    err = io.StringIO()
    code = cli.main(["plot", str(results), name, "--out", str(out), *more], io.StringIO(), err, {"PATH": ""})
    return code, err.getvalue()


@pytest.mark.parametrize(("name", "begin"), [("x.svg", b"<?xml"), ("x.png", b"\x89PNG")])
def test_equal_results_make_equal_bytes(results, tmp_path, name, begin):
    """In either format."""
    assert plot(results, "b.time_it", tmp_path / name)[0] == ExitCode.FINE
    first = (tmp_path / name).read_bytes()
    assert first.startswith(begin)
    plot(results, "b.time_it", tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


def test_variants_are_drawn_side_by_side(tmp_path):
    """Every case at every place is a dot with its interval."""
    write_tree(a_full_tree(), tmp_path / "results")
    code, said = plot(tmp_path / "results", "sleep.Sleep.time_run", tmp_path / "x.svg", "--kind", "dots")
    assert (code, (tmp_path / "x.svg").is_file()) == (ExitCode.FINE, True), said


def test_a_failure_is_a_gap_and_never_a_number(tmp_path):
    """In a history the line breaks; side by side the case says that it failed. Names are as people read them."""
    grid = a_benchmark("b.time_it", n=["'small'", "'large'"])
    rows = [a_row(grid, a_value(1.0), Failed() if commit == 2 else a_value(100.0)) for commit in (1, 2, 3)]
    runs = [a_run(row, commit=commit) for commit, row in enumerate(rows, start=1)]
    tree = a_tree(*runs, benchmarks=[grid])
    small, large = plot_lines(tree, grid, history_by_date(runs))
    assert (small.label, large.label) == ("small, 3.12", "large, 3.12")
    assert [isfinite(point.value) for point in large.points] == [True, False, True]
    for runs_shown, kind in ((runs, "history"), (runs[:2], "dots")):
        write_tree(a_tree(*runs_shown, benchmarks=[grid]), tmp_path / kind)
        code, said = plot(tmp_path / kind, "b.time_it", tmp_path / "x.svg", "--kind", kind)
        assert (code, (tmp_path / "x.svg").is_file()) == (ExitCode.FINE, True), said


def test_what_cannot_be_drawn_is_said(results, tmp_path):
    """An unknown benchmark with what is near, a format that nobody knows, changes that are not there."""
    assert "did you mean b.time_it" in plot(results, "time", tmp_path / "x.svg")[1]
    assert plot(results, "b.time_it", tmp_path / "x.gif")[0] == ExitCode.USAGE
    assert plot(results, "b.time_it", tmp_path / "x.svg", "--changes", str(tmp_path / "no"))[0] == ExitCode.DATA


def test_without_the_extra_the_way_to_it_is_said(results, tmp_path, monkeypatch):
    """matplotlib is needed by this command alone."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, said = plot(results, "b.time_it", tmp_path / "x.svg")
    assert (code, "windtunnel[plot]" in said) == (ExitCode.USAGE, True)
