"""Tests for windtunnel.compare.samples_format."""

import pytest

from windtunnel.compare.samples_format import Cause, ChangedFunction

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
