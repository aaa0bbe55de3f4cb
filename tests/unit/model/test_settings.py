"""Expectations of cases in pyproject.toml."""

from pathlib import Path

import pytest

from windtunnel.asv import configuration
from windtunnel.errors import ConfigurationError
from windtunnel.model.benchmark import CaseIdentity
from windtunnel.model.settings import DEFAULT_THRESHOLD, CaseExpectation, Dependency, case_expectation, find_unaffected

PYPROJECT = """
[tool.windtunnel]
threshold = 0.02

[[tool.windtunnel.expect]]
match = "^io\\\\."
threshold = 0.2

[[tool.windtunnel.expect]]
match = "rate|\\\\('fast'"
better = "higher"
threshold = 0.5
"""


def expectations(pyproject):
    return configuration.parse("{}", Path("/suite/asv.conf.json"), pyproject).settings.expectations


def test_the_first_match_that_sets_a_property_counts():
    """Each property counts by itself; the threshold of the suite comes last."""
    ours = expectations(PYPROJECT)
    assert case_expectation(CaseIdentity(benchmark="cpu.time"), ours) == CaseExpectation(threshold=0.02, better="lower")
    assert case_expectation(CaseIdentity(benchmark="io.rate"), ours) == CaseExpectation(threshold=0.2, better="higher")
    assert case_expectation(CaseIdentity(benchmark="cpu.rate"), ours) == CaseExpectation(threshold=0.5, better="higher")
    assert case_expectation(CaseIdentity(benchmark="cpu.x", params=("'fast'",)), ours).better == "higher"


def test_cases_without_expectations_have_defaults():
    """Lower is better, and a change of 5 % matters."""
    assert case_expectation(CaseIdentity(benchmark="cpu.time"), expectations("")) == CaseExpectation(
        threshold=DEFAULT_THRESHOLD
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("expect = 3", "expect is 3; expected an array"),
        ("expect = [3]", r"expect\[0\] is 3; expected a table"),
        ("expect = [{}]", r"expect\[0\]: the key 'match' is missing"),
        ("expect = [{match = '('}]", "not a regular expression"),
        ("depends = [{match = '(', paths = ['a']}]", "not a regular expression"),
        ("reference-benchmarks = ['^ref', '(']", r"reference-benchmarks is '\(', not a regular expression"),
        ("depends = [{match = 'io', paths = []}]", r"depends\[0\].paths is \[\]"),
        ("expect = [{match = '', treshold = 1}]", "the keys are better, instructions-threshold, match, threshold"),
        ("expect = [{match = '', better = 'more'}]", "better is 'more'; write 'higher' or 'lower'"),
        ("expect = [{match = '', better = []}]", "better is .*; write 'higher' or 'lower'"),
        ("threshold = 0", "threshold is 0; expected a number > 0"),
        ("threshold = -1", "a number > 0"),
        ("threshold = nan", "a number > 0"),
        ("threshold = inf", "a number <= "),
        ("threshold = true", "threshold is True; expected a number, got true or false"),
        ("threshold = '5 %'", "threshold is '5 %'; expected a number, got a string"),
    ],
)
def test_invalid_expectations_are_refused(line, message):
    """The message names the file, the key, the value and what to write instead."""
    with pytest.raises(ConfigurationError, match=message) as caught:
        expectations(f"[tool.windtunnel]\n{line}\n")
    assert "/suite/pyproject.toml: tool.windtunnel" in str(caught.value)


DEPENDENCIES = (
    Dependency(match="^io", paths=("src/pkg/io/", "src/pkg/*.c")),
    Dependency(match="sqlite", paths=("src/pkg/db/",)),
)


@pytest.mark.parametrize(
    ("changed", "left_out"),
    [
        (("src/pkg/io/read.py",), {"db.sqlite"}),
        (("src/pkg/fast.c",), {"db.sqlite"}),
        (("src/pkg/db/query.py", "README.md"), {"io.read", "io.write(1)"}),
        (("src/pkg/text.py",), {"io.read", "io.write(1)", "db.sqlite"}),
        (("src/pkg/deep/fast.c",), {"io.read", "io.write(1)", "db.sqlite"}),
    ],
)
def test_a_case_is_unaffected_if_none_of_its_paths_changed(changed, left_out):
    """A case without an entry may depend on any file; a case with several entries needs only one of their paths."""
    cases = ("io.read", "io.write(1)", "db.sqlite", "io.sqlite", "cpu.loop")
    found = find_unaffected(cases, changed, DEPENDENCIES)
    assert found.keys() - {"io.sqlite"} == left_out
    assert ("io.sqlite" in found) == (left_out >= {"io.read", "db.sqlite"})


def test_the_reason_names_the_paths():
    """A reader of the report can check the map."""
    assert find_unaffected(["io.sqlite"], ["setup.py"], DEPENDENCIES) == {
        "io.sqlite": "no change in src/pkg/io/, src/pkg/*.c, src/pkg/db/"
    }
