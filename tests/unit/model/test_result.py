"""The nouns: what they say of themselves."""

import pytest

from windtunnel.model.benchmark import Benchmark, BenchmarkKind
from windtunnel.model.identity import BenchmarkName, Field, text_of
from windtunnel.model.result import Failed, Measured, Row, Skipped
from windtunnel.model.run import Problem


def test_results_are_found_by_the_values_of_their_parameters():
    """A position means nothing: parameter lists change."""
    row = Row(
        name=BenchmarkName("a.time"),
        params=(("1", "2"), ("'x'", "'y'")),
        results=(Failed(), Measured(value=2.0), Skipped(), Measured(value=4.0)),
    )
    assert row.result(("1", "'y'")) == Measured(value=2.0)
    assert row.result(("2", "'x'")) == Skipped()
    assert row.result(("3", "'x'")) is None


def test_a_value_that_stands_twice_means_its_last_place():
    """asv reads such grids so."""
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
def test_samples_fall_to_processes_where_the_sizes_are_known(samples, sizes, processes):
    """Unknown boundaries make one process, no samples make none."""
    assert Measured(value=1.0, samples=samples, process_sizes=sizes).processes == processes


@pytest.mark.parametrize(
    ("word", "kind"), [("time", BenchmarkKind.TIME), ("peakmemory", BenchmarkKind.PEAK_MEMORY), ("ray", "other")]
)
def test_a_kind_that_asv_does_not_have_is_other(word, kind):
    """The word itself stays, for writing it back."""
    benchmark = Benchmark(name=BenchmarkName("a.time"), type_word=word)
    assert benchmark.kind == kind
    assert benchmark.type_word == word


def test_the_text_of_a_field_has_no_quotes():
    """Numbers and the rest read as JSON."""
    fields = (Field(name="cpu", json='"Xeon \\"E5\\""'), Field(name="ram", json="16"))
    assert text_of(fields, "cpu") == 'Xeon "E5"'
    assert text_of(fields, "ram") == "16"
    assert text_of(fields, "os") is None


def test_a_problem_names_its_place():
    """File, key, reason; the key only where there is one."""
    assert str(Problem(file="a.json", key="", reason="is empty")) == "a.json: is empty"
    assert str(Problem(file="a.json", key="results.x", reason="is cut")) == "a.json: results.x: is cut"
