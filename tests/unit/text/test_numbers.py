"""Numbers into words: the golden file holds the site's format.js to the same (site/tests/format.test.js)."""

import json
from pathlib import Path

import pytest

from windtunnel.text import numbers

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "numbers.json").read_text(encoding="utf-8"))


def as_interval(limits):
    return None if limits is None else tuple(limits)


@pytest.mark.parametrize("case", GOLDEN["quantities"])
def test_quantities_are_worded_as_agreed(case):
    """A scale that fits the value, one unit, decimals that the interval justifies."""
    worded = numbers.quantity(case["value"], as_interval(case["interval"]), case["unit"])
    assert {"value": worded.value, "interval": worded.interval} == case["worded"]


@pytest.mark.parametrize("case", GOLDEN["ratios"])
def test_ratios_are_worded_as_agreed(case):
    """Decimals as for quantities, and the sign behind the value."""
    worded = numbers.ratio(case["value"], as_interval(case["interval"]))
    assert {"value": worded.value, "interval": worded.interval} == case["worded"]
