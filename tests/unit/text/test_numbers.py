"""Numbers are formatted as in the golden file, which tests the site's format.js too (site/tests/format.test.js)."""

import json
from pathlib import Path

import pytest

from windtunnel.text import numbers

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "numbers.json").read_text(encoding="utf-8"))


def as_interval(limits):
    return None if limits is None else tuple(limits)


@pytest.mark.parametrize("case", GOLDEN["quantities"])
def test_quantities_match_the_golden_file(case):
    """The unit fits the value, and the interval determines the decimals."""
    formatted = numbers.quantity(case["value"], as_interval(case["interval"]), case["unit"])
    assert {"value": formatted.value, "interval": formatted.interval} == case["worded"]


@pytest.mark.parametrize("case", GOLDEN["ratios"])
def test_ratios_match_the_golden_file(case):
    """The decimals are those of quantities, and the value has the sign."""
    formatted = numbers.ratio(case["value"], as_interval(case["interval"]))
    assert {"value": formatted.value, "interval": formatted.interval} == case["worded"]


def test_one_thing_is_singular():
    """Messages count runners, cases and files."""
    assert [numbers.count(number, "case") for number in (0, 1, 2)] == ["0 cases", "1 case", "2 cases"]
    assert numbers.count(2, "file or row", "files or rows") == "2 files or rows"
