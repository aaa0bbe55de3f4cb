"""What owners say of their cases in pyproject.toml."""

from pathlib import Path

import pytest

from windtunnel.asv import configuration
from windtunnel.errors import ConfigurationError
from windtunnel.model.expectation import THRESHOLD, Expected, expected
from windtunnel.model.measure import Better, CaseIdentity

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


def test_the_first_match_that_says_something_counts():
    """Each property by itself; the suite's threshold comes last."""
    ours = expectations(PYPROJECT)
    assert expected(CaseIdentity(benchmark="cpu.time"), ours) == Expected(threshold=0.02, better=Better.LOWER)
    assert expected(CaseIdentity(benchmark="io.rate"), ours) == Expected(threshold=0.2, better=Better.HIGHER)
    assert expected(CaseIdentity(benchmark="cpu.rate"), ours) == Expected(threshold=0.5, better=Better.HIGHER)
    assert expected(CaseIdentity(benchmark="cpu.x", params=("'fast'",)), ours).better is Better.HIGHER


def test_who_says_nothing_gets_the_usual():
    """Lower is better, and 5 % matters."""
    assert expected(CaseIdentity(benchmark="cpu.time"), expectations("")) == Expected(threshold=THRESHOLD)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("expect = 3", "expect.. tables"),
        ("expect = [3]", "1 is 3; write a table"),
        ("expect = [{}]", "'match' is None"),
        ("expect = [{match = '('}]", "no regular expression"),
        ("expect = [{match = '', treshold = 1}]", "no key 'treshold'"),
        ("expect = [{match = '', better = 'more'}]", "'lower' or 'higher'"),
        ("expect = [{match = '', better = []}]", "'lower' or 'higher'"),
        ("threshold = 0", "above zero"),
        ("threshold = -1", "above zero"),
        ("threshold = nan", "above zero"),
        ("threshold = inf", "above zero"),
        ("threshold = true", "above zero"),
        ("threshold = '5 %'", "above zero"),
    ],
)
def test_what_makes_no_sense_is_refused(line, complaint):
    """With the file, the table and what to write instead."""
    with pytest.raises(ConfigurationError, match=complaint) as caught:
        expectations(f"[tool.windtunnel]\n{line}\n")
    assert "/suite/pyproject.toml" in str(caught.value)
