"""``-k`` and ``-m`` choose the cases that pytest would choose."""

import pytest

from windtunnel.errors import UsageError
from windtunnel.model.benchmark import Benchmark, select
from windtunnel.model.case_choice import MARKERS, CaseChoice, matches
from windtunnel.model.identity import BenchmarkName, Field

WORDS = {"parse", "slow"}


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ("parse", True),
        ("build", False),
        ("not parse", False),
        ("not not parse", True),
        ("parse and build", False),
        ("parse or build", True),
        ("build or parse and slow", True),
        ("(build or parse) and not slow", False),
        ("not (build or slow)", False),
        ("build and slow or parse", True),
        (" parse\tand  slow ", True),
    ],
)
def test_an_expression_means_what_it_means_in_pytest(expression, chosen):
    """``not`` binds most, ``or`` least."""
    assert matches("-k", expression, WORDS.__contains__) is chosen


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "parse and",
        "and parse",
        "(parse",
        "parse)",
        "parse slow",
        "parse & slow",
        "parse(slow)",
        "(" * 2000,
        "\0",
        "= 1",
    ],
    ids=lambda text: text[:9],
)
def test_what_is_no_expression_is_a_usage_error(expression):
    """With the option, and an example."""
    with pytest.raises(UsageError, match=r"(?s)^-k .*is not an expression of .*such as 'parse and not slow'"):
        matches("-k", expression, WORDS.__contains__)


def a_test(name, markers=(), **params):
    return Benchmark(
        name=BenchmarkName(f"tests.test_url.{name}"),
        type_word="time",
        param_names=tuple(params),
        params=tuple(params.values()),
        extra=(
            Field(name="pretty_name", json=f'"tests/test_url.py::{name}"'),
            Field(name=MARKERS, json=str(list(markers)).replace("'", '"')),
        ),
    )


PARSE = a_test("test_parse", [["big"], ["big", "slow"]], size=("1", "1000"))
BUILD = a_test("test_build", [["slow"]], kind=("'one'", "'two'"), size=("10", "20"))
SUITE = (PARSE, BUILD, a_test("test_join"))


def chosen(**options):
    found = select(SUITE, options.pop("bench", ()), **options)
    return [f"{one.name.rpartition('_')[2]}{[case.index for case in selection.cases]}" for one, selection in found]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"k": "parse"}, ["parse[0, 1]"]),
        ({"k": "PARSE or join"}, ["parse[0, 1]", "join[0]"]),
        ({"k": "one-20"}, ["build[1]"]),
        ({"k": "test_url.py::test_build"}, ["build[0, 1, 2, 3]"]),
        ({"k": "not slow"}, ["parse[0]", "join[0]"]),
        ({"m": "slow"}, ["parse[1]", "build[0, 1, 2, 3]"]),
        ({"m": "slo"}, []),
        ({"m": "slow and big"}, ["parse[1]"]),
        ({"m": "not slow", "k": "parse"}, ["parse[0]"]),
        ({"m": "slow", "bench": ("parse",)}, ["parse[1]"]),
        ({}, ["parse[0, 1]", "build[0, 1, 2, 3]", "join[0]"]),
    ],
    ids=str,
)
def test_names_contain_words_and_markers_are_words(options, found):
    """As in pytest, names are node IDs with parameters, and case does not matter in them."""
    assert chosen(**options) == found


def test_a_benchmark_of_asv_has_a_name_and_no_marker():
    """``-k`` works for it, too."""
    plain = Benchmark(name=BenchmarkName("sleep.time_run"), type_word="time", params=(("'quick'",),))
    assert [one.name for one, _ in select((plain,), (), "quick and sleep")] == ["sleep.time_run"]
    assert list(select((plain,), (), m="slow")) == []


def test_a_message_names_all_that_was_asked_for():
    """Expressions beside each other all hold."""
    assert CaseChoice(bench=("a", "b"), k="c", m="d").asked == "a or b with -k 'c' with -m 'd'"
    assert CaseChoice().asked == ""
