"""Cases are matched by name and parameter values."""

import pytest

from windtunnel.compare.case_matching import match_cases, without_unaffected
from windtunnel.model.benchmark import Benchmark, select
from windtunnel.model.identity import Field
from windtunnel.model.measure import Better, MeasureKind
from windtunnel.model.settings import Dependency, Expectation


def a_benchmark(name="suite.time_it", version="1", params=(), type_word="time", own=None, **what):
    extra = () if own is None else (Field(name="windtunnel_threshold", json=own),)
    return Benchmark(name=name, version=version, params=params, type_word=type_word, extra=extra, **what)


def matched(base, head, expectations=()):
    """The result of matching the suites *base* and *head*."""
    return match_cases(tuple(select(base, ())), tuple(select(head, ())), "env", expectations)


def test_a_case_of_both_suites_is_comparable():
    """It has the unit and the kind of head's suite."""
    (case,) = matched((a_benchmark(unit="seconds"),), (a_benchmark(unit="seconds"),)).cases
    one = case.samples
    assert (one.benchmark, one.environment, one.unit, one.kind) == ("suite.time_it", "env", "seconds", MeasureKind.TIME)


def test_added_and_removed_benchmarks_are_listed():
    """They cannot be compared."""
    found = matched((a_benchmark("suite.time_old"),), (a_benchmark("suite.time_new"),))
    assert [one.benchmark for one in found.missing["added"]] == ["suite.time_new"]
    assert [one.benchmark for one in found.missing["removed"]] == ["suite.time_old"]
    assert found.cases == ()


def test_a_changed_version_is_incomparable():
    """The benchmark measures something else."""
    found = matched((a_benchmark(version="1"),), (a_benchmark(version="2"),))
    assert [one.reason for one in found.missing["incomparable"]] == [
        "its version changed, so it measures something else"
    ]
    assert (found.cases, found.missing["added"], found.missing["removed"]) == ((), [], [])


def test_parameter_combinations_are_matched_by_value():
    """Their position in the grid may change."""
    found = matched((a_benchmark(params=(("1", "2"),)),), (a_benchmark(params=(("0", "2"),)),))
    assert [(one.samples.params, one.case.index) for one in found.cases] == [(("2",), 1)]
    assert [one.params for one in found.missing["added"]] == [("0",)]
    assert [one.params for one in found.missing["removed"]] == [("1",)]


@pytest.mark.parametrize(
    ("own", "expectations", "threshold"),
    [
        (None, (), 0.05),
        ("0.2", (), 0.2),
        ("0.2", (Expectation(match="", threshold=0.1),), 0.2),
        ("0.2", (Expectation(match="time_it", threshold=0.3),), 0.3),
        ('"much"', (), 0.05),
        ("-1.0", (), 0.05),
    ],
)
def test_the_most_specific_threshold_applies(own, expectations, threshold):
    """The order is: the project's by name, the benchmark's own, the project's for all; an invalid one is ignored."""
    (one,) = matched((a_benchmark(),), (a_benchmark(own=own),), expectations).cases
    assert one.samples.threshold == threshold


@pytest.mark.parametrize("own", ['"much"', '"True"', "true", "0", "-1.0", "NaN", "[0.1]"])
def test_an_invalid_threshold_is_noted(own):
    """Its owner expects that it applies."""
    (note,) = matched((a_benchmark(),), (a_benchmark(own=own),)).notes
    assert note.startswith("suite.time_it: its windtunnel_threshold is ")
    assert note.endswith("write 0.1 for 10 %.")


@pytest.mark.parametrize("own", [None, "0.2", "2"])
def test_a_valid_threshold_needs_no_note(own):
    """Neither does a missing one."""
    assert matched((a_benchmark(),), (a_benchmark(own=own),)).notes == ()


def test_a_count_is_not_a_time():
    """Its values may be exact."""
    counting = a_benchmark("suite.track_it", type_word="track", unit="unit")
    assert matched((counting,), (counting,)).cases[0].samples.kind is MeasureKind.OTHER


@pytest.mark.parametrize(
    ("type_word", "unit", "expectations", "better"),
    [
        ("track", "req/s", (), Better.HIGHER),
        ("track", "unit", (), Better.LOWER),
        ("time", "seconds", (), Better.LOWER),
        ("track", "req/s", (Expectation(match="", better=Better.LOWER),), Better.LOWER),
        ("track", "unit", (Expectation(match="track", better=Better.HIGHER),), Better.HIGHER),
    ],
)
def test_a_higher_rate_is_better(type_word, unit, expectations, better):
    """Change detection uses the same rule; an expectation takes precedence."""
    one = a_benchmark("suite.track_it", type_word=type_word, unit=unit)
    assert matched((one,), (one,), expectations).cases[0].samples.better is better


def test_cases_that_no_changed_file_can_affect_are_listed_with_the_reason():
    """They are neither compared nor lost."""
    suite = (a_benchmark("io.time_read"), a_benchmark("cpu.time_loop"))
    dependencies = (Dependency(match="^io", paths=("src/io/",)),)
    found = without_unaffected(matched(suite, suite), ("src/cpu.py",), dependencies)
    assert [one.case.name for one in found.cases] == ["cpu.time_loop"]
    assert [(one.benchmark, one.reason) for one in found.missing["unaffected"]] == [
        ("io.time_read", "no change in src/io/")
    ]
