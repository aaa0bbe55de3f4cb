"""Cases are matched by name and parameter values."""

import pytest

from windtunnel.compare.case_matching import Suite, match_cases, without_unaffected
from windtunnel.model.benchmark import Benchmark, select
from windtunnel.model.identity import Field, case_name
from windtunnel.model.settings import Dependency, Expectation


def a_benchmark(name="suite.time_it", version="1", params=(), type_word="time", own=None, **what):
    extra = () if own is None else (Field(name="windtunnel_threshold", json=own),)
    return Benchmark(name=name, version=version, params=params, type_word=type_word, extra=extra, **what)


def matched(own, head, expectations=(), *, base=None, **problems):
    """The result of matching base's *own* suite and that of *head*, which *base* also has unless stated otherwise."""
    suites = {"base": head if base is None else base, "head": head, "own": own}
    found = [Suite(tuple(select(suite, ())), problems.get(f"{name}_problems", {})) for name, suite in suites.items()]
    return match_cases(*found, "env", expectations)


def changes(found):
    """The mark of each comparable case."""
    return {(one.samples.benchmark, *one.samples.params): one.samples.suite_change for one in found.cases}


def entries(found, kind):
    """The missing cases of a *kind*: what, why, and on which commits."""
    return [(case_name(one.benchmark, one.params), one.reason, *one.on) for one in found.missing[kind]]


def test_a_case_of_both_suites_is_comparable():
    """It has the unit and the kind of head's suite."""
    (case,) = matched((a_benchmark(unit="seconds"),), (a_benchmark(unit="seconds"),)).cases
    one = case.samples
    assert (one.benchmark, one.environment, one.unit, one.kind) == ("suite.time_it", "env", "seconds", "time")


def test_new_and_changed_benchmarks_are_compared():
    """Both commits run head's suite; base's own suite only shows what changed, and which benchmarks were removed."""
    own = (a_benchmark("suite.time_old"), a_benchmark("suite.time_it"), a_benchmark("suite.time_same"))
    head = (a_benchmark("suite.time_it", "2"), a_benchmark("suite.time_same"), a_benchmark("suite.time_new"))
    found = matched(own, head)
    assert changes(found) == {("suite.time_it",): "changed", ("suite.time_same",): "", ("suite.time_new",): "new"}
    assert entries(found, "removed") == [("suite.time_old", "")]
    assert not found.missing["added"]
    assert not found.missing["incomparable"]


def test_new_parameter_values_are_compared():
    """A version does not depend on the parameters."""
    found = matched((a_benchmark(params=(("1", "2"),)),), (a_benchmark(params=(("0", "2"),)),))
    assert changes(found) == {("suite.time_it", "0"): "new", ("suite.time_it", "2"): ""}
    assert entries(found, "removed") == [("suite.time_it(1)", "")]


def test_code_of_the_project_is_not_comparable():
    """A suite may import its benchmarks from the project; the commits then run different code."""
    found = matched((a_benchmark(),), (a_benchmark(),), base=(a_benchmark(version="2"),))
    assert entries(found, "incomparable") == [
        ("suite.time_it", "its version differs between the commits, so they run different code")
    ]
    assert found.cases == ()


def test_cases_are_matched_by_parameter_value():
    """A suite may compute its parameters from the project: the place of a value differs between the commits."""
    base, head = a_benchmark(params=(("1", "2"),)), a_benchmark(params=(("0", "2"),))
    found = matched((base,), (head,), base=(base,))
    assert [(one.samples.params, one.case.index, one.base_index) for one in found.cases] == [(("2",), 1, None)]
    moved = a_benchmark(params=(("2", "3"),))
    (one,) = matched((moved,), (head,), base=(moved,)).cases
    assert (one.samples.params, one.case.index, one.base_index) == (("2",), 1, 0)


def test_a_module_that_base_cannot_import_is_a_failure_of_the_benchmarks_that_base_has():
    """A new benchmark is not a failure; neither is one that head changed."""
    own = (a_benchmark("suite.time_old"), a_benchmark("suite.time_it"))
    head = (a_benchmark("suite.time_old"), a_benchmark("suite.time_it", "2"), a_benchmark("suite.time_new"))
    found = matched(own, head, base=(), base_problems={"suite": "Traceback\nImportError: no spam"})
    assert entries(found, "failed") == [("suite.time_old", "ImportError: no spam", "base")]
    assert entries(found, "added") == [("suite.time_new", "new, not measurable on base: ImportError: no spam")]
    assert entries(found, "incomparable") == [
        ("suite.time_it", "changed, not measurable on base: ImportError: no spam")
    ]
    assert found.cases == ()


def test_a_module_that_head_cannot_import_is_a_failure():
    """Its benchmarks are unknown, so none of them counts as removed; on base too only if it has the module."""
    known = (a_benchmark("suite.time_it"), a_benchmark("more.time_it"))
    lost = {"more": "ImportError: no spam"}
    reason = "the module cannot be imported: ImportError: no spam"
    found = matched(known, known[:1], base=known, head_problems=lost)
    assert entries(found, "failed") == [("more", reason, "head")]
    assert not found.missing["removed"]
    assert changes(found) == {("suite.time_it",): ""}
    for own_problems, on in (({}, ("head",)), (lost, ("base", "head"))):
        found = matched(known[:1], known[:1], head_problems=lost, base_problems=lost, own_problems=own_problems)
        assert entries(found, "failed") == [("more", reason, *on)]


def test_a_benchmark_is_not_new_when_the_own_suite_may_have_it():
    """Nothing is known of a module that base's own suite cannot import."""
    found = matched((), (a_benchmark("pack.suite.time_it"),), own_problems={"pack": "ImportError: no spam"})
    assert changes(found) == {("pack.suite.time_it",): ""}


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
    assert matched((counting,), (counting,)).cases[0].samples.kind == "other"


@pytest.mark.parametrize(
    ("type_word", "unit", "expectations", "better"),
    [
        ("track", "req/s", (), "higher"),
        ("track", "unit", (), "lower"),
        ("time", "seconds", (), "lower"),
        ("track", "req/s", (Expectation(match="", better="lower"),), "lower"),
        ("track", "unit", (Expectation(match="track", better="higher"),), "higher"),
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
