"""Results and cases: found, counted and selected."""

from dataclasses import replace

import pytest
from builders.trees import a_benchmark, a_scenario

from windtunnel.asv.results_format.files import decode_benchmarks, encode_benchmarks
from windtunnel.model.benchmark import Benchmark, counted_name, counting, counts_of, is_countable, select, with_counts
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Field, text_of
from windtunnel.model.run import Failed, Measured, Problem, Row, Skipped
from windtunnel.model.run_format import error_line


def test_results_are_found_by_parameter_values():
    """Positions change when parameter lists change."""
    row = Row(
        name=BenchmarkName("a.time"),
        params=(("1", "2"), ("'x'", "'y'")),
        results=(Failed(), Measured(value=2.0), Skipped(), Measured(value=4.0)),
    )
    assert row.result(("1", "'y'")) == Measured(value=2.0)
    assert row.result(("2", "'x'")) == Skipped()
    assert row.result(("3", "'x'")) is None


def test_of_a_repeated_parameter_value_the_last_position_counts():
    """asv reads such grids the same way."""
    row = Row(name=BenchmarkName("a.time"), params=(("1", "1"),), results=(Measured(value=1), Measured(value=2)))
    assert row.result(("1",)) == Measured(value=2)


@pytest.mark.parametrize(
    ("samples", "sizes", "processes"),
    [
        (None, None, ()),
        ((), None, ()),
        ((1.0, 2.0), None, ((1.0, 2.0),)),
        ((1.0, 2.0, 3.0), (2, 1), ((1.0, 2.0), (3.0,))),
    ],
)
def test_samples_are_divided_into_processes_by_their_sizes(samples, sizes, processes):
    """Without sizes there is one process; without samples there is none."""
    assert Measured(value=1.0, samples=samples, process_sizes=sizes).processes == processes


@pytest.mark.parametrize(("word", "kind"), [("time", "time"), ("peakmemory", "peakmemory"), ("ray", "other")])
def test_an_unknown_type_is_other(word, kind):
    """The word itself is kept for writing."""
    benchmark = Benchmark(name=BenchmarkName("a.time"), type_word=word)
    assert benchmark.kind == kind
    assert benchmark.type_word == word


def test_the_text_of_a_field_has_no_quotes():
    """Other values are shown as JSON."""
    fields = (Field(name="cpu", json='"Xeon \\"E5\\""'), Field(name="ram", json="16"))
    assert text_of(fields, "cpu") == 'Xeon "E5"'
    assert text_of(fields, "ram") == "16"
    assert text_of(fields, "os") is None


def test_a_problem_shows_file_key_and_reason():
    """The key is omitted when it is empty."""
    assert str(Problem(file="a.json", key="", reason="is empty")) == "a.json: is empty"
    assert str(Problem(file="a.json", key="results.x", reason="is cut")) == "a.json: results.x: is cut"


SUM = a_scenario("cpu.Sum.time_run", ("sync", "gather"), ("quick", "standard"))


def test_a_count_has_the_cases_of_its_benchmark_and_names_it():
    """asv lists it as a value that is tracked, in instructions."""
    found = counting(SUM)
    assert (found.name, found.type_word, found.unit) == ("cpu.Sum.time_run.instructions", "track", "instructions")
    assert (found.params, found.param_names) == (SUM.params, SUM.param_names)
    assert counts_of(found) == counted_name(found.name) == "cpu.Sum.time_run"
    assert counts_of(SUM) == counted_name(SUM.name) == ""


def test_a_count_survives_asvs_file():
    """Its key is one that asv ignores."""
    (found,) = decode_benchmarks(encode_benchmarks([counting(SUM)]), "benchmarks.json").value
    assert found == counting(SUM)


def test_another_version_of_the_benchmark_begins_a_new_series_of_counts():
    """The version of a count depends on that of its benchmark."""
    assert counting(replace(SUM, version=BenchmarkVersion("another"))).version != counting(SUM).version
    assert counting(SUM).version == counting(SUM).version != SUM.version


def test_what_asv_does_not_time_in_the_process_itself_is_not_counted():
    """Memory is no work, and timeraw benchmarks time another process."""
    assert is_countable(SUM)
    assert not is_countable(replace(a_benchmark("m.peakmem_it"), type_word="peakmemory"))
    assert not is_countable(a_benchmark("m.timeraw_import"))


def test_the_timeout_applies_to_the_count_and_settings_of_timing_do_not():
    """A count has no repeats."""
    timed = replace(SUM, extra=(Field(name="repeat", json="3"), Field(name="timeout", json="60.0")))
    assert counting(timed).attribute("timeout") == 60.0
    assert counting(timed).attribute("repeat") is None


def test_the_selected_cases_are_counted_after_their_benchmark():
    """They keep asv's index."""
    memory = replace(a_benchmark("m.peakmem_it"), type_word="peakmemory")
    chosen = tuple(with_counts(select((SUM, memory), ("standard", "peakmem"))))
    names = ["cpu.Sum.time_run", "cpu.Sum.time_run.instructions", "m.peakmem_it"]
    assert [benchmark.name for benchmark, _ in chosen] == names
    (_, timed), (count, counted), _ = chosen
    assert [case.index for case in counted.cases] == [case.index for case in timed.cases] == [1, 3]
    assert (counted.benchmark, counted.version) == (count.name, count.version)
    assert counted.cases[0].name == "cpu.Sum.time_run.instructions('sync', 'standard')"


GIT = """\
error: unable to read sha1 file of docs/logo.gif (6f29479c)
Note: switching to 'd58a0b14'.
HEAD is now at d58a0b14 Introduce a page
"""
BUILD = """\
Found ninja-1.11.1 at /usr/bin/ninja
meson-python: error: The package requires Python version >=3.12, running on 3.11.7
TIP pass --env-dir to keep the build environment
ERROR Backend subprocess exited when trying to invoke build_wheel
"""
PIP = "ERROR: No matching distribution found for cudatoolkit\n\nnotice: a new release of pip is available\n"
TRACEBACK = """\
Traceback (most recent call last):
  File "suite.py", line 1, in <module>
    import missing
ModuleNotFoundError: No module named 'missing'
"""


@pytest.mark.parametrize(
    ("output", "line"),
    [
        pytest.param(GIT, "error: unable to read sha1 file of docs/logo.gif (6f29479c)", id="git"),
        pytest.param(BUILD, BUILD.splitlines()[1], id="a build tool"),
        pytest.param(PIP, "ERROR: No matching distribution found for cudatoolkit", id="pip"),
        pytest.param(TRACEBACK, "ModuleNotFoundError: No module named 'missing'", id="a traceback"),
        pytest.param("asv: benchmark timed out (timeout 60s)\n\n", "asv: benchmark timed out (timeout 60s)", id="asv"),
        pytest.param("pkg.Boom: too hot\n", "pkg.Boom: too hot", id="an exception with another name"),
        pytest.param(" \n", "no reason was given", id="nothing"),
    ],
)
def test_the_reason_is_the_line_that_states_the_error(output, line):
    """What a tool prints after its error explains nothing."""
    assert error_line(output) == line
