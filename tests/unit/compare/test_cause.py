"""Causes: which functions explain a change, and their sentences."""

import pytest

from tests.builders.profiles import profile
from windtunnel.compare.cause import build_tree, divide, find_cause
from windtunnel.compare.samples_format import Cause, ChangedFunction
from windtunnel.compare.touched_functions import MODULE, TouchedFile, match_functions
from windtunnel.model.schedule import CaseProfile, FunctionCost


def diff(*names, file="src/pkg/mod.py", base_file=None, base_names=None):
    """A diff that changes these functions of one file."""
    one = TouchedFile(
        base_file=base_file or file,
        head_file=file,
        base_functions=frozenset(names if base_names is None else base_names),
        head_functions=frozenset(names),
    )
    return {file: one}


BASE = profile(("run", 1, 100), ("run > load", 10, 500), ("run > load > parse", 10, 1000))


def names(base, head, touched):
    return [one.name for one in find_cause(base, head, touched).functions]


def test_the_function_that_begins_to_do_more_itself_is_first():
    """Its own cost per call changes."""
    head = profile(("run", 1, 100), ("run > load", 10, 900), ("run > load > parse", 10, 1000))
    cause = find_cause(BASE, head, diff("load"))
    assert [one.name for one in cause.functions] == ["load"]
    assert cause.functions[0].share == pytest.approx(1)
    assert (cause.functions[0].cost_base, cause.functions[0].cost_head) == (500, 900)
    assert cause.relative_change == pytest.approx(0.25)
    assert cause.functions[0].touched
    assert cause.functions[0].head_file == "src/pkg/mod.py"


def test_the_function_that_calls_another_more_often_is_before_the_one_that_it_calls():
    """The one that it calls does the work, and is named second."""
    head = profile(("run", 1, 110), ("run > load", 10, 500), ("run > load > parse", 2000, 200_000))
    cause = find_cause(BASE, head, diff("load"))
    assert [one.name for one in cause.functions] == ["load", "parse"]
    assert (cause.functions[1].calls_base, cause.functions[1].calls_head) == (10, 2000)
    assert cause.functions[1].touched is False


def test_without_a_diff_the_caller_is_named_too():
    """The change originates where the number of calls per call changes."""
    head = profile(("run", 1, 110), ("run > load", 10, 500), ("run > load > parse", 2000, 200_000))
    assert names(BASE, head, None)[0] == "load"
    assert find_cause(BASE, head, None).functions[0].touched is None


def test_a_longer_own_time_of_unchanged_code_is_no_cause():
    """The profiler's times vary; calls, changed code and changed constants are evidence."""
    base = profile(("run", 1, 0.001), ("run > load", 10, 0.01), seconds=True)
    head = profile(("run", 1, 0.001), ("run > load", 10, 0.0216), seconds=True)
    cause = find_cause(base, head, diff("other"))
    assert not cause.functions
    assert "times of the profiler vary" in cause.notes[0]
    for touched in (diff("load"), diff(MODULE), {}, None):
        assert names(base, head, touched)[0] == "load"
    assert names(base, profile(("run", 1, 0.001), ("run > load", 30, 0.0216), seconds=True), diff("other")) == ["load"]


LOAD = (("run", 1, 100), ("run > load", 10, 500))
SLOW_PARSE = profile(*LOAD, ("run > load > parse", 10, 3000))


@pytest.mark.parametrize(
    ("base", "head", "touched", "expected"),
    [
        (
            profile(*LOAD),
            profile(*LOAD, ("run > load > table", 10, 50), ("run > load > table > read", 10, 9000)),
            diff("table"),
            ["table", "read"],
        ),
        (BASE, SLOW_PARSE, diff("load"), ["load", "parse"]),
        (BASE, SLOW_PARSE, diff("parse", "unrelated", "other"), ["parse"]),
    ],
    ids=["its cache is removed", "it passes on a longer list", "other touched functions cost nothing"],
)
def test_a_touched_function_is_credited_with_what_it_causes(base, head, touched, expected):
    """Its caller is not changed, and what it calls is named second."""
    assert names(base, head, touched) == expected


def test_an_improvement_is_explained_as_a_regression_is():
    """Shares are of the change, whatever its sign."""
    head = profile(("run", 1, 100), ("run > load", 10, 500), ("run > load > parse", 10, 100))
    cause = find_cause(BASE, head, diff("parse"))
    assert cause.functions[0].name == "parse"
    assert cause.functions[0].share == pytest.approx(1)


def test_shares_of_the_origins_add_up_to_the_change():
    """Nothing is counted twice, and nothing is lost."""
    base = profile(("a", 1, 10), ("a > b", 4, 80), ("a > b > c", 8, 40), ("a > d", 2, 6), ("a > d > c", 2, 10))
    head = profile(("a", 1, 30), ("a > b", 7, 70), ("a > b > c", 42, 90), ("a > e", 3, 50), ("a > e > c", 3, 15))
    functions, numbers_of = match_functions(base, head, None)
    trees = [build_tree(one, numbers) for one, numbers in zip((base, head), numbers_of, strict=True)]
    assert sum(divide(*trees, [False] * len(functions)).values()) == pytest.approx(255 - 146)


def test_a_generator_expression_counts_for_the_function_around_it():
    """It has no name of its own in the source."""
    base = profile(("run", 1, 100))
    head = profile(("run", 1, 100), ("run > run.<locals>.<genexpr>", 50, 900))
    cause = find_cause(base, head, diff("run"))
    assert [one.name for one in cause.functions] == ["run"]
    assert cause.functions[0].cost_head == 1000
    assert cause.functions[0].calls_head == 1


def test_a_function_in_a_renamed_file_is_the_same_function():
    """The diff knows the old path."""
    base = profile(("pkg/old.py:run", 1, 100))
    head = profile(("pkg/new.py:run", 1, 150))
    one = find_cause(base, head, diff("run", file="src/pkg/new.py", base_file="src/pkg/old.py")).functions[0]
    assert (one.base_file, one.head_file, one.calls_base) == ("src/pkg/old.py", "src/pkg/new.py", 1)


def test_a_function_that_the_diff_renames_is_one_function():
    """The only one that it removes from a file is the only one that it adds."""
    base, head = profile(("run", 1, 10), ("run > old", 1, 100)), profile(("run", 1, 10), ("run > new", 1, 200))
    one = find_cause(base, head, diff("new", base_names={"old"})).functions[0]
    assert (one.name, one.cost_base, one.cost_head) == ("new", 100, 200)


def test_a_compiled_function_of_the_counter_is_named_last():
    """It is in no stack; interpreters have no line for it."""
    symbol = FunctionCost(name="list_contains", file="libpython3.13.so", line=0, calls=10, instructions=20, is_c=True)
    base = CaseProfile(functions=(*BASE.functions, symbol), stacks=BASE.stacks)
    grown = profile(("run", 1, 100), ("run > load", 10, 5000), ("run > load > parse", 10, 1000))
    more = FunctionCost(name="list_contains", file="libpython3.13.so", line=0, calls=10, instructions=4000, is_c=True)
    head = CaseProfile(functions=(*grown.functions, more), stacks=grown.stacks)
    cause = find_cause(base, head, diff("load"))
    assert [one.name for one in cause.functions] == ["load", "list_contains"]
    assert cause.functions[1].sentence().startswith("list_contains (libpython3.13.so): own instructions 200")


@pytest.mark.parametrize(
    ("base", "head", "touched", "note"),
    [
        (BASE, BASE, diff("load"), "no function does more or less work"),
        (CaseProfile(reason="it timed out"), BASE, None, "No profile: it timed out"),
        (BASE, profile(("run", 1, 100), seconds=True), None, "counted on one commit only"),
        (BASE, SLOW_PARSE, diff(MODULE), "The diff changes no function that this benchmark runs."),
        (
            profile(*((f"f{number}", 1, 100) for number in range(20))),
            profile(*((f"f{number}", 1, 101) for number in range(20))),
            None,
            "spread over many",
        ),
    ],
)
def test_what_is_not_explained_is_said(base, head, touched, note):
    """A report without a reason would leave the reader to guess."""
    assert any(note in each for each in find_cause(base, head, touched).notes)


def test_code_outside_of_functions_is_named_where_functions_explain_nothing():
    """A constant may have changed."""
    notes = find_cause(BASE, SLOW_PARSE, diff(MODULE)).notes
    assert notes[1] == "It also changes code outside of functions, in src/pkg/mod.py."


def test_names_are_cut_to_what_the_format_allows():
    """A name may be of any length."""
    long = "x" * 5000
    assert len(find_cause(profile((long, 1, 10)), profile((long, 1, 20)), None).functions[0].name) == 300


def test_the_only_function_of_the_diff_is_the_cause_even_if_others_do_the_work():
    """It empties a cache that another function fills; nothing else differs between the commits."""
    base = profile(("run", 1, 100), ("run > add", 10, 500), ("run > find", 10, 100))
    head = profile(("run", 1, 100), ("run > add", 10, 490), ("run > find", 10, 100), ("run > find > build", 10, 9000))
    assert names(base, head, diff("add")) == ["add", "find", "build"]
    assert names(base, head, diff("add", "unrelated"))[0] == "find"


def test_what_a_compiled_function_costs_counts_for_the_function_that_calls_it():
    """A counter cannot divide it exactly; what it calls is in no compiled function either."""
    base = profile(("run", 1, 100), ("run > !sorted", 1, 50), ("run > !sorted > key", 9, 90))
    head = profile(("run", 1, 100), ("run > !sorted", 1, 500), ("run > !sorted > key", 9, 90))
    one = find_cause(base, head, diff("run")).functions[0]
    assert (one.name, one.cost_base, one.cost_head) == ("run", 150, 600)


def test_a_base_whose_time_is_too_short_to_measure_still_has_a_cause():
    """The profiler's share is subtracted, and nothing is left; calls are exact."""
    base = profile(("run", 1, 0.0), ("run > load", 1, 0.0), seconds=True)
    head = profile(("run", 1, 0.0), ("run > load", 300, 0.002), seconds=True)
    cause = find_cause(base, head, diff("run"))
    assert cause.relative_change is None
    assert [one.name for one in cause.functions] == ["run", "load"]
    assert cause.functions[1].figures() == "calls 1 → 300 per run, own time below 1 µs → 2.00 ms"


def test_times_of_profiles_that_contradict_the_measurement_explain_nothing():
    """They are noisy; instructions are not, and may differ from times."""
    less = (("run", 1, 0.001),)
    more = (("run", 1, 0.002),)
    cause = find_cause(profile(*more, seconds=True), profile(*less, seconds=True), None, measured=0.08)
    assert cause.functions == ()
    assert "other direction" in cause.notes[0]
    assert find_cause(profile(*less, seconds=True), profile(*more, seconds=True), None, measured=0.08).functions
    assert find_cause(profile(("run", 1, 9)), profile(("run", 1, 5)), None, measured=0.08).functions


AFTER_CALLS = "calls 1 → 2,000 per run, own time "


def function(**fields):
    """A function that is called more often on head."""
    defaults = {
        "name": "Parser.parse",
        "base_file": "src/pkg/parser.py",
        "base_line": 118,
        "head_file": "src/pkg/parser.py",
        "head_line": 120,
        "calls_base": 1.0,
        "calls_head": 2000.0,
        "cost_base": 1000.0,
        "cost_head": 1380.0,
        "touched": True,
    }
    return ChangedFunction(**{**defaults, **fields})


def test_a_sentence_names_the_function_its_place_and_what_changed():
    """Calls, instructions, both lines, and whether the diff changes it."""
    assert function().sentence() == (
        "Parser.parse (src/pkg/parser.py:120, on base :118, changed by the diff): "
        "calls 1 → 2,000 per run, own instructions +38 %"
    )


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"base_line": 120}, "src/pkg/parser.py:120"),
        ({"base_file": "", "base_line": 0}, "src/pkg/parser.py:120"),
        ({"head_file": "", "head_line": 0}, "src/pkg/parser.py:118"),
        ({"base_file": "src/pkg/old.py"}, "src/pkg/parser.py:120, on base src/pkg/old.py:118"),
        ({"base_file": "", "base_line": 0, "head_file": "", "head_line": 0}, ""),
    ],
)
def test_the_place_on_base_is_named_only_where_it_differs(fields, place):
    """Most functions do not move."""
    assert function(**fields).place == place


@pytest.mark.parametrize(
    ("fields", "figures"),
    [
        ({"calls_head": 1.0}, "own instructions +38 %"),
        ({"cost_head": 1000.0}, "calls 1 → 2,000 per run"),
        ({"cost_base": 0.0, "calls_base": 0.0}, "calls 0 → 2,000 per run, own instructions from 0"),
        ({"calls_head": 1.0, "cost_unit": "seconds"}, "own time +38 %"),
        ({"cost_base": 1e-9, "cost_head": 0.0012, "cost_unit": "seconds"}, AFTER_CALLS + "below 1 µs → 1.20 ms"),
        ({"cost_base": 0.0, "cost_head": 9e-7, "cost_unit": "seconds"}, "calls 1 → 2,000 per run"),
        ({"calls_base": 0.25, "calls_head": 2.5, "cost_base": None}, "calls 0.25 → 2.5 per run"),
        ({"calls_head": 1.0, "cost_head": 1000.0}, "its own calls and cost are the same"),
        ({"calls_head": 1e300, "cost_head": None}, "calls 1 → 1.00e+300 per run"),
    ],
)
def test_figures_state_only_what_changed(fields, figures):
    """A cost of 0 on base has no percentage."""
    assert function(**fields).figures() == figures


def test_compiled_code_without_a_file_is_named_as_such():
    """A C function has no line."""
    nowhere = {"base_file": "", "base_line": 0, "head_file": "", "head_line": 0}
    compiled = function(name="list_contains", is_c=True, touched=None, calls_head=1.0, **nowhere)
    assert compiled.sentence() == "list_contains (compiled code): own instructions +38 %"


def test_a_cause_lists_its_functions_then_its_notes():
    """Notes say what is not explained."""
    cause = Cause(functions=(function(),), notes=("No other function changed.",))
    assert cause.sentences() == (function().sentence(), "No other function changed.")


@pytest.mark.parametrize(
    ("base", "head"), [(1e-300, 1e300), (5e-324, 1.7e308), (1.0, -1e308), (-1.0, 3.0), (1e308, 1e-308)]
)
def test_costs_at_the_edge_of_a_float_are_text(base, head):
    """The file may come from code of a pull request, and a comment must not fail on it."""
    found = function(cost_base=base, cost_head=head, calls_base=max(base, 0.0), calls_head=1.7e308)
    assert "own instructions" in found.sentence()
