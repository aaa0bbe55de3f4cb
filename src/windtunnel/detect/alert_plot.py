"""Draws a plot window as a chart in Markdown: Mermaid's ``xychart``, which GitHub renders.

The grammar is that of mermaid.js.org/syntax/xyChart; it has no exponents. The chart holds only numbers and fixed words.
Names of cases and units stand in the caption above it, where they can be escaped.
"""

import math

from windtunnel.detect.format import ChangeKind, MeasuredCase, PlotWindow
from windtunnel.model.identity import case_name
from windtunnel.text import numbers
from windtunnel.text.escaping import code, plain

MAX_OVERSHOOT = 3.0
"""How far the axis reaches beyond the levels, in sizes of the change; one slow run must not flatten all others."""
MARGIN = 0.1
"""Space above and below, in sizes of the change."""
MIN_HEIGHT = 1e-6
"""Least height of the axis, as a share of the larger level."""
MIN_VALUES = 2
COLOURS = '%%{init: {"themeVariables": {"xyChart": {"plotColorPalette": "#2a78d6, #d9730d"}}}}%%'
"""Mermaid's default for the first line is hard to see on white; these colours are visible on white and on black."""
READABLE = (1e-2, 1e5)
"""Sizes that are written without a power of ten."""
MIN_POWER = -290
"""Smallest power of ten to divide by; a smaller one would not be a normal float."""


def render_plot(window: PlotWindow) -> str:
    """Return a caption and the chart; empty where there are too few values."""
    if len(window.values) < MIN_VALUES:
        return ""
    levels = _levels(window)
    factor, unit = _scale(window, max(map(abs, levels)))
    values = [value / factor for value in window.values]
    levels = [level / factor for level in levels]
    low, high = _limits(values, levels[0], levels[-1])
    clipped = [min(max(value, low), high) for value in values]
    decimals = max(0, 3 - math.floor(math.log10(high - low)))
    axis_unit = unit if unit in {name for scale in numbers.SCALES.values() for _, name in scale} else ""
    runs = f"{-window.change_index} --> {len(values) - window.change_index - 1}"
    lines = (
        "```mermaid",
        COLOURS,
        "xychart-beta",
        f'    x-axis "runs, 0 is the first of the change" {runs}',
        f'    y-axis "{axis_unit}" {_row([low], decimals)} --> {_row([high], decimals)}',
        f"    line [{_row(clipped, decimals)}]",
        f"    line [{_row(levels, decimals)}]",
        "```",
    )
    return f"{_caption(window, unit, is_clipped=clipped != values)}\n\n" + "\n".join(lines)


def _caption(window: PlotWindow, unit: str, *, is_clipped: bool) -> str:
    what = "The median case, 1 before the change" if window.case is None else _case(window.case)
    in_unit = f", in {plain(unit, 40)}" if unit else ""
    clipped = "; values outside the frame are drawn at its edge" if is_clipped else ""
    return f"{what}{in_unit}: the value of each run, and the levels{clipped}."


def _case(case: MeasuredCase) -> str:
    return (
        f"{code(case_name(case.benchmark, case.params))} with {code(case.environment, 80)} on {code(case.machine, 40)}"
    )


def _scale(window: PlotWindow, size: float) -> tuple[float, str]:
    """Return the divisor for levels of this *size*, and the unit of the quotients."""
    factor, unit = (1.0, "") if window.case is None else numbers.scale(size, window.unit or "unit")
    if size == 0 or READABLE[0] <= size / factor < READABLE[1]:
        return factor, unit
    power = max(MIN_POWER, math.floor(math.log10(size / factor)))
    return factor * 10.0**power, f"10^{power} {unit}".rstrip()


def _levels(window: PlotWindow) -> list[float]:
    """Return the level at each value: a step jumps at the change, a creep rises evenly after it."""
    later = len(window.values) - window.change_index
    shares = [(index + 1) / later if window.kind is ChangeKind.CREEP else 1.0 for index in range(later)]
    change = window.after - window.before
    return [window.before] * window.change_index + [window.before + share * change for share in shares]


def _limits(values: list[float], before: float, after: float) -> tuple[float, float]:
    """Return the ends of the axis."""
    low, high = sorted((before, after))
    span = max(high - low, MIN_HEIGHT * (max(abs(low), abs(high)) or 1.0))
    return (
        min(low, max(min(values), low - MAX_OVERSHOOT * span)) - MARGIN * span,
        max(high, min(max(values), high + MAX_OVERSHOOT * span)) + MARGIN * span,
    )


def _row(values: list[float], decimals: int) -> str:
    texts = (f"{value:.{decimals}f}" for value in values)
    return ", ".join(text.rstrip("0").rstrip(".") if "." in text else text for text in texts)
