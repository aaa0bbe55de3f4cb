"""Expectations of cases in pyproject.toml."""

from pathlib import Path

import pytest

from windtunnel.asv import configuration
from windtunnel.errors import ConfigurationError
from windtunnel.model.measure import Better, CaseIdentity
from windtunnel.model.settings import DEFAULT_THRESHOLD, CaseExpectation, case_expectation

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
    assert case_expectation(CaseIdentity(benchmark="cpu.time"), ours) == CaseExpectation(
        threshold=0.02, better=Better.LOWER
    )
    assert case_expectation(CaseIdentity(benchmark="io.rate"), ours) == CaseExpectation(
        threshold=0.2, better=Better.HIGHER
    )
    assert case_expectation(CaseIdentity(benchmark="cpu.rate"), ours) == CaseExpectation(
        threshold=0.5, better=Better.HIGHER
    )
    assert case_expectation(CaseIdentity(benchmark="cpu.x", params=("'fast'",)), ours).better is Better.HIGHER


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
        ("expect = [{match = '', treshold = 1}]", "no key 'treshold'; the keys are better, match, threshold"),
        ("expect = [{match = '', better = 'more'}]", "better is 'more'; write 'lower' or 'higher'"),
        ("expect = [{match = '', better = []}]", "better is .*; write 'lower' or 'higher'"),
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
    assert "/suite/pyproject.toml: tool.windtunnel." in str(caught.value)
