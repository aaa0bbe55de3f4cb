"""``windtunnel plot``: equal results give equal bytes, and errors explain what is missing."""

import sys

import pytest
from builders.commands import run_command
from builders.histories import a_history_tree
from builders.sites import a_full_tree
from builders.trees import a_benchmark, a_row, a_run, a_tree, a_value

from windtunnel.errors import ExitCode
from windtunnel.model.run import Failed, history_by_date
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
    code, _, said = run_command(["plot", results, name, "--out", out, *more], {"PATH": ""})
    return code, said


@pytest.mark.parametrize(("name", "begin"), [("x.svg", b"<?xml"), ("x.png", b"\x89PNG")])
def test_equal_results_give_equal_bytes(results, tmp_path, name, begin):
    """In both formats."""
    assert plot(results, "b.time_it", tmp_path / name)[0] == ExitCode.FINE
    first = (tmp_path / name).read_bytes()
    assert first.startswith(begin)
    plot(results, "b.time_it", tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


def test_a_picture_says_its_figures_in_its_title(results, tmp_path):
    """A reader who does not see it gets the newest values."""
    code, said = plot(results, "b.time_it", tmp_path / "my x.svg")
    assert code == ExitCode.FINE, said
    assert "<title>b.time_it, newest values: 3.12 1.02 s" in (tmp_path / "my x.svg").read_text(encoding="utf-8")


def test_variants_are_drawn_side_by_side(tmp_path):
    """Every case at every target is a dot with its interval."""
    write_tree(a_full_tree(), tmp_path / "results")
    code, said = plot(tmp_path / "results", "sleep.Sleep.time_run", tmp_path / "x.svg", "--kind", "dots")
    assert (code, (tmp_path / "x.svg").is_file()) == (ExitCode.FINE, True), said


def test_a_failure_is_a_gap_and_never_a_number(tmp_path):
    """A line has a gap; a dot plot labels the case as failed."""
    grid = a_benchmark("b.time_it", n=["'small'", "'large'"])
    rows = [a_row(grid, a_value(1.0), Failed() if commit == 2 else a_value(100.0)) for commit in (1, 2, 3)]
    runs = [a_run(row, commit=commit) for commit, row in enumerate(rows, start=1)]
    lines = plot_lines(a_tree(*runs, benchmarks=[grid]), grid, history_by_date(runs))
    assert list(lines) == ["small, 3.12", "large, 3.12"]
    assert [result is None for _, result in lines["large, 3.12"]] == [False, True, False]
    for runs_shown, kind in ((runs, "history"), (runs[:2], "dots")):
        write_tree(a_tree(*runs_shown, benchmarks=[grid]), tmp_path / kind)
        code, said = plot(tmp_path / kind, "b.time_it", tmp_path / "x.svg", "--kind", kind)
        assert (code, (tmp_path / "x.svg").is_file()) == (ExitCode.FINE, True), said


def test_an_error_explains_what_cannot_be_plotted(results, tmp_path):
    """An unknown benchmark with similar names, an unknown format, a missing changes file."""
    assert "did you mean b.time_it" in plot(results, "time", tmp_path / "x.svg")[1]
    assert plot(results, "b.time_it", tmp_path / "x.gif")[0] == ExitCode.USAGE
    assert plot(results, "b.time_it", tmp_path / "x.svg", "--changes", str(tmp_path / "no"))[0] == ExitCode.DATA


def test_without_matplotlib_the_error_says_how_to_install_it(results, tmp_path, monkeypatch):
    """Only this command needs matplotlib."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, said = plot(results, "b.time_it", tmp_path / "x.svg")
    assert (code, "windtunnel[plot]" in said) == (ExitCode.USAGE, True)
