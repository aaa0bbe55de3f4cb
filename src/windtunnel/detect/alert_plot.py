"""The course of a case as a chart that forges draw from Markdown: Mermaid's ``xychart``.

Its grammar is that of mermaid.js.org/syntax/xyChart, which knows no exponents. Nothing foreign stands in the block,
only numbers and our own words; what is drawn stands above it.
"""

import math

from windtunnel.detect.format import ChangeKind, MeasuredCase, PlotWindow
from windtunnel.model.identity import case_name
from windtunnel.text import numbers
from windtunnel.text.escaping import code, plain

FRAME = 3.0
"""Changes by which the frame reaches beyond the levels; a single late run must not flatten all the rest."""
MARGIN = 0.1
NARROWEST = 1e-6
"""Of the larger level: a frame needs some height."""
FEWEST = 2
COLOURS = '%%{init: {"themeVariables": {"xyChart": {"plotColorPalette": "#2a78d6, #d9730d"}}}}%%'
"""Mermaid's own for a first line is hardly seen on white; these are on white and on black."""
READABLE = (1e-2, 1e5)
"""Sizes that are written as they are."""
SMALLEST_POWER = -290
"""Below it a power of ten, or what is left of a value beside it, is no number that can be divided by."""


def plot(course: PlotWindow) -> str:
    """Return a line that says what is drawn, and the chart; "" where there is nothing to draw."""
    if len(course.values) < FEWEST:
        return ""
    levels = _levels(course)
    factor, unit = _scale(course, max(map(abs, levels)))
    values = [value / factor for value in course.values]
    levels = [level / factor for level in levels]
    low, high = _frame(values, levels[0], levels[-1])
    inside = [min(max(value, low), high) for value in values]
    decimals = max(0, 3 - math.floor(math.log10(high - low)))
    name = unit if unit in {word for scale in numbers.SCALES.values() for _, word in scale} else ""
    lines = (
        "```mermaid",
        COLOURS,
        "xychart-beta",
        f'    x-axis "runs, 0 is the first of the change" {-course.split} --> {len(values) - course.split - 1}',
        f'    y-axis "{name}" {_row([low], decimals)} --> {_row([high], decimals)}',
        f"    line [{_row(inside, decimals)}]",
        f"    line [{_row(levels, decimals)}]",
        "```",
    )
    return f"{_caption(course, unit, clipped=inside != values)}\n\n" + "\n".join(lines)


def _caption(course: PlotWindow, unit: str, *, clipped: bool) -> str:
    what = "The middle case, 1 before the change" if course.case is None else _case(course.case)
    shown = f", in {plain(unit, 40)}" if unit else ""
    edge = "; what lies farther off is drawn at the edge" if clipped else ""
    return f"{what}{shown}: run after run, and its levels{edge}."


def _case(case: MeasuredCase) -> str:
    return (
        f"{code(case_name(case.benchmark, case.params))} with {code(case.environment, 80)} on {code(case.machine, 40)}"
    )


def _scale(course: PlotWindow, size: float) -> tuple[float, str]:
    """Return what to divide by where levels are of such a *size*, and the unit then."""
    factor, unit = (1.0, "") if course.case is None else numbers.scale(size, course.unit or "unit")
    if size == 0 or READABLE[0] <= size / factor < READABLE[1]:
        return factor, unit
    power = max(SMALLEST_POWER, math.floor(math.log10(size / factor)))
    return factor * 10.0**power, f"10^{power} {unit}".rstrip()


def _levels(course: PlotWindow) -> list[float]:
    """Return the level at each value: a step is where the change is, a creep takes all the time since."""
    later = len(course.values) - course.split
    shares = [(place + 1) / later if course.kind is ChangeKind.CREEP else 1.0 for place in range(later)]
    return [course.before] * course.split + [course.before + share * (course.after - course.before) for share in shares]


def _frame(values: list[float], before: float, after: float) -> tuple[float, float]:
    low, high = sorted((before, after))
    least = NARROWEST * (max(abs(low), abs(high)) or 1.0)
    span = max(high - low, least)
    return (
        min(low, max(min(values), low - FRAME * span)) - MARGIN * span,
        max(high, min(max(values), high + FRAME * span)) + MARGIN * span,
    )


def _row(values: list[float], decimals: int) -> str:
    texts = (f"{value:.{decimals}f}" for value in values)
    return ", ".join(text.rstrip("0").rstrip(".") if "." in text else text for text in texts)
