"""Which cases two suites have in common."""

import pytest

from windtunnel.compare.case_matching import match_cases
from windtunnel.model.benchmark import Benchmark, select
from windtunnel.model.identity import Field
from windtunnel.model.measure import Better, MeasureKind
from windtunnel.model.settings import Expectation


def a_benchmark(name="suite.time_it", version="1", params=(), type_word="time", own=None, **what):
    extra = () if own is None else (Field(name="windtunnel_threshold", json=own),)
    return Benchmark(name=name, version=version, params=params, type_word=type_word, extra=extra, **what)


def matched(base, head, expectations=()):
    """The result of matching the suites *base* and *head*."""
    return match_cases(tuple(select(base, ())), tuple(select(head, ())), "env", expectations)


def test_what_both_have_takes_part():
    """With its unit and kind."""
    (case,) = matched((a_benchmark(unit="seconds"),), (a_benchmark(unit="seconds"),)).cases
    one = case.samples
    assert (one.benchmark, one.environment, one.unit, one.kind) == ("suite.time_it", "env", "seconds", MeasureKind.TIME)


def test_new_and_gone_benchmarks_are_told():
    """Neither can be compared."""
    found = matched((a_benchmark("suite.time_old"),), (a_benchmark("suite.time_new"),))
    assert [one.benchmark for one in found.missing["added"]] == ["suite.time_new"]
    assert [one.benchmark for one in found.missing["removed"]] == ["suite.time_old"]
    assert found.cases == ()


def test_another_version_is_incomparable():
    """It measures something else now."""
    found = matched((a_benchmark(version="1"),), (a_benchmark(version="2"),))
    assert [one.reason for one in found.missing["incomparable"]] == [
        "its version changed, so it measures something else"
    ]
    assert (found.cases, found.missing["added"], found.missing["removed"]) == ((), [], [])


def test_combinations_are_told_apart_by_value():
    """A grid that changed leaves what it has in common, wherever that stands now."""
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
def test_the_most_particular_threshold_holds(own, expectations, threshold):
    """The project by name, then the benchmark itself, then the project in general; nonsense is not heard."""
    (one,) = matched((a_benchmark(),), (a_benchmark(own=own),), expectations).cases
    assert one.samples.threshold == threshold


@pytest.mark.parametrize("own", ['"much"', '"True"', "true", "0", "-1.0", "NaN", "[0.1]"])
def test_a_threshold_that_is_none_is_told(own):
    """Its owner believes that it counts."""
    (note,) = matched((a_benchmark(),), (a_benchmark(own=own),)).notes
    assert note.startswith("suite.time_it: its windtunnel_threshold is ")
    assert note.endswith("write 0.1 for 10 %.")


@pytest.mark.parametrize("own", [None, "0.2", "2"])
def test_nothing_is_told_of_a_threshold_that_counts(own):
    """Nor of none at all."""
    assert matched((a_benchmark(),), (a_benchmark(own=own),)).notes == ()


def test_a_count_is_no_time():
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
def test_more_of_a_rate_is_better(type_word, unit, expectations, better):
    """As change detection has it; the owner of the suite knows best."""
    one = a_benchmark("suite.track_it", type_word=type_word, unit=unit)
    assert matched((one,), (one,), expectations).cases[0].samples.better is better
