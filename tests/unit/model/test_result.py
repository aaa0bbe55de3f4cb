"""Results, benchmarks, fields and problems."""

import pytest

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, Field, text_of
from windtunnel.model.run import Failed, Measured, Problem, Row, Skipped


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
