"""Formats numbers with units: the only module that converts base units.

The site's ``format.js`` does the same in JavaScript; ``tests/golden/numbers.json`` tests both.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

SCALES: Mapping[str, tuple[tuple[float, str], ...]] = {
    "seconds": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "bytes": ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"), (1, "B")),
    "instructions": ((1e9, "G instructions"), (1e6, "M instructions"), (1e3, "k instructions"), (1, "instructions")),
}
MAX_DECIMALS = 5
MAX_PERCENT_DECIMALS = 2
MIN_RATIO = 10.0
"""The ratio from which a relative change is printed as a ratio: 12× reads better than +1100 %."""
MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedFigure:
    """A figure as it is printed."""

    value: str
    """With its unit."""
    interval: str | None
    """Without the unit; None where it is unknown."""


def quantity(value: float, interval: tuple[float, float] | None, unit: str) -> FormattedFigure:
    """Format a value in base units, with the interval in the same unit and with the same decimals.

    *unit* is asv's name. Units without a scale here are appended unchanged; ``unit`` is dropped.
    """
    factor, name = scale(_size(value, interval), unit)
    scaled = None if interval is None else (interval[0] / factor, interval[1] / factor)
    decimals = _decimals(value / factor, scaled)
    return FormattedFigure(
        value=_join(_fixed(value / factor, decimals), name),
        interval=None if scaled is None else _range(scaled, decimals),
    )


def ratio(value: float, interval: tuple[float, float] | None) -> FormattedFigure:
    """Format a ratio; a limit other than 1 is never printed as 1, so that the side of 1 stays visible."""
    decimals = _decimals(value, interval)
    while decimals < MAX_DECIMALS and any(
        limit != 1 and _fixed(limit, decimals) == _fixed(1, decimals) for limit in interval or ()
    ):
        decimals += 1
    return FormattedFigure(
        value=_fixed(value, decimals) + TIMES, interval=None if interval is None else _range(interval, decimals)
    )


def relative_change(value: float, interval: tuple[float, float] | None) -> FormattedFigure:
    """Format a relative change in per cent with its sign, or as a ratio from MIN_RATIO on.

    The change has at most three digits, two without an interval; the half-width of the interval has one. A limit other
    than 0 is never printed as 0, so that the side of 0 stays visible.
    """
    if 1 + value >= MIN_RATIO:
        factor = ratio(1 + value, None if interval is None else (1 + interval[0], 1 + interval[1]))
        return replace(factor, interval=factor.interval and factor.interval + TIMES)
    limits = tuple(limit * 100 for limit in interval or ())
    magnitude = abs(value) * 100
    half = (limits[1] - limits[0]) / 2 if limits else 0.0
    least = -math.floor(math.log10(magnitude)) if magnitude else 0
    digits = -math.floor(math.log10(half)) if half > 0 else MAX_PERCENT_DECIMALS
    digits = max(digits, min(least, digits + 1))  # a small change keeps a digit where the interval allows it
    known = magnitude or half
    decimals = max(0, min(MAX_PERCENT_DECIMALS, digits, least + (2 if limits else 1))) if known else 0
    shown = _signed(value * 100, decimals)
    while decimals < MAX_DECIMALS and any(limit and not float(f"{limit:.{decimals}f}") for limit in limits):
        decimals += 1
    return FormattedFigure(
        value=f"{shown if limits or '.' not in shown else shown.rstrip('0').rstrip('.')} %",
        interval=f"{' to '.join(_signed(limit, decimals) for limit in limits)} %" if limits else None,
    )


def _signed(value: float, decimals: int) -> str:
    fixed = _fixed(value, decimals)
    if not re.search("[1-9]", fixed):
        return fixed.removeprefix(MINUS)
    return f"+{fixed}" if value > 0 else fixed


def _size(value: float, interval: tuple[float, float] | None) -> float:
    return abs(value) or max(map(abs, interval or (0.0,)))


def scale(magnitude: float, unit: str) -> tuple[float, str]:
    """Return the divisor for a figure of this *magnitude* in base units, and the name of its unit then."""
    scales = SCALES.get(unit, ((1, "" if unit == "unit" else unit),))
    if magnitude == 0:
        return next(scale for scale in scales if scale[0] == 1)
    # 0.9995: what rounds to 1.000 of a unit is shown in that unit.
    return next((scale for scale in scales if magnitude >= scale[0] * 0.9995), scales[-1])


def _decimals(value: float, interval: tuple[float, float] | None) -> int:
    """Return the decimals for two significant digits of the half-width, and two to five of the value; three without."""
    magnitude = _size(value, interval)
    if magnitude == 0:
        return 0
    half = 0.0 if interval is None else (interval[1] - interval[0]) / 2 / magnitude
    digits = min(5, max(2, math.ceil(-math.log10(half)) + 1)) if half > 0 else 3
    return max(0, digits - 1 - math.floor(math.log10(magnitude)))


def _range(interval: tuple[float, float], decimals: int) -> str:
    return f"{_fixed(interval[0], decimals)} {DASH} {_fixed(interval[1], decimals)}"


def _fixed(value: float, decimals: int) -> str:
    """Format *value*, rounded half away from zero as JavaScript does, not half to even."""
    if decimals <= 9 and abs(value) < 1e7:
        text = str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    else:
        mantissa, exponent = f"{value:.2e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", MINUS)


def _join(text: str, unit: str) -> str:
    return f"{text} {unit}" if unit else text


def duration(seconds: float) -> str:
    """Format the duration of a job."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def share(value: float) -> str:
    """Format a share in per cent; less than all is never printed as 100."""
    percent = f"{value * 100:.3g}" if abs(value) < 10 else f"{value * 100:.0f}"
    return f"{'above 99.9' if percent == '100' and value < 1 else percent} %"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return *number* with its noun, such as ``1 runner`` and ``2 runners``."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
