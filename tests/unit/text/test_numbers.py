"""Numbers are formatted as in the golden file, which tests the site's format.js too (site/tests/format.test.js)."""

import json
from pathlib import Path

import pytest

from windtunnel.text import numbers
from windtunnel.text.numbers import DASH, MINUS, TIMES

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


@pytest.mark.parametrize(
    ("value", "interval", "shown", "limits"),
    [
        (0.312, (0.291, 0.334), "+31 %", "+29 to +33 %"),
        (-0.3, (-0.305, -0.295), f"{MINUS}30.0 %", f"{MINUS}30.5 to {MINUS}29.5 %"),
        (0.005, (0.0001, 0.05), "+0.5 %", "+0.01 to +5.00 %"),
        (3.3, (2.8, 3.9), "+330 %", "+280 to +390 %"),
        (14, (13.5, 14.7), f"15.0{TIMES}", f"14.5 {DASH} 15.7{TIMES}"),
        (0.0531, None, "+5.3 %", None),
        (0.5, None, "+50 %", None),
        (0.0, (0.0, 0.0), "0 %", "0 to 0 %"),
        (-1.0, None, f"{MINUS}100 %", None),
        (0.31, (1e-5, 0.62), "+31 %", "+0.001 to +62.000 %"),
    ],
)
def test_relative_changes_have_a_sign_and_no_more_digits_than_they_are_sure_of(value, interval, shown, limits):
    """A limit keeps its side of zero, and from ten times on the ratio is shown."""
    found = numbers.relative_change(value, interval)
    assert (found.value, found.interval) == (shown, limits)
