"""The overview as tables for the terminal."""

from builders.sites import an_overview
from builders.trees import a_benchmark, a_row, a_run, a_scenario, a_tree, a_value

from windtunnel.model.run import Failed, Measured, Skipped
from windtunnel.publish.overview import scenario_names
from windtunnel.publish.overview_text import overview_text


def text_of(*runs, benchmarks, width=100):
    return overview_text(an_overview(a_tree(*runs, benchmarks=benchmarks)), width)


def lines_of(*runs, benchmarks):
    lines = text_of(*runs, benchmarks=benchmarks).splitlines()
    return [line.split() for line in lines if line.strip()]


def test_every_figure_has_its_interval_and_ratio():
    """A table for each scenario and load, with a row for each variant and Python."""
    bench = a_scenario()
    runs = [a_run(a_row(bench, a_value(0.3), a_value(0.1)), python=python) for python in ("3.12", "3.13")]
    assert lines_of(*runs, benchmarks=[bench]) == [
        ["sleep,", "quick"],
        ["variant", "Python", "median", "interval", "to", "sync", "interval"],
        ["sync", "3.12", "300", "ms", "297", "–", "303"],
        ["3.13", "300", "ms", "297", "–", "303"],
        ["gather", "3.12", "100", "ms", "99", "–", "101", "0.333×", "0.329", "–", "0.338"],
        ["3.13", "100", "ms", "99", "–", "101", "0.333×", "0.329", "–", "0.338"],
    ]


def test_failures_and_missing_intervals_are_labelled():
    """Neither hides the other rows."""
    bench = a_scenario(variants=("sync", "gather", "threads"))
    run = a_run(a_row(bench, a_value(0.3), Failed(), a_value(0.1, count=3)))
    text = text_of(run, benchmarks=[bench])
    assert "failed" in text
    assert text.count("needs more samples") == 2


def test_loads_without_results_have_no_table():
    """A run may measure one load only."""
    bench = a_scenario(variants=("sync",), loads=("quick", "article"))
    text = text_of(a_run(a_row(bench, a_value(0.3), Skipped())), benchmarks=[bench])
    assert "sleep, quick" in text
    assert "article" not in text


def test_other_benchmarks_are_listed_case_by_case():
    """With the unit that asv names."""
    bench = a_benchmark("memory.peak", unit="bytes", n=["1", "'x'"])
    text = text_of(a_run(a_row(bench, Measured(value=2**20), Skipped())), benchmarks=[bench])
    assert "memory.peak(1)" in text
    assert "1.00 MiB" in text
    assert "memory.peak('x')" in text
    assert "skipped" in text


def test_names_cannot_control_a_terminal():
    """Escape characters and markup of the library are escaped."""
    bench = a_benchmark("evil\x1b[31m[bold]x\x07")
    text = text_of(a_run(a_row(bench)), benchmarks=[bench])
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    assert "[bold]x" in text


def test_a_narrow_terminal_shows_every_figure():
    """80 columns are enough for a real name."""
    bench = a_scenario(variants=("sync", "async_sequential"))
    text = text_of(a_run(a_row(bench, a_value(0.3), a_value(0.1))), benchmarks=[bench], width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "0.329 – 0.338" in text


def test_scenario_names_are_short_and_unique():
    """The module, the class or the full name."""
    assert scenario_names(["sleep.Sleep.time_run", "io.files.time_run", "x"]) == ("sleep", "io.files", "x")
    assert scenario_names(["db.Read.time_run", "db.Write.time_run"]) == ("db.Read", "db.Write")
    assert scenario_names(["db.Read.time_run", "db.Read.time_walk"]) == ("db.Read.time_run", "db.Read.time_walk")
