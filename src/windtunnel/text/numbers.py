"""Numbers into words: the only module that leaves base units.

The site's ``format.js`` says the same in JavaScript; ``tests/golden/numbers.json`` holds both to it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

SCALES: Mapping[str, tuple[tuple[float, str], ...]] = {
    "seconds": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "bytes": ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"), (1, "B")),
}
MOST_DECIMALS = 5
MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedFigure:
    """A figure as it is printed; *interval* does not repeat the unit and is ``None`` where none is known."""

    value: str
    interval: str | None


def quantity(value: float, interval: tuple[float, float] | None, unit: str) -> FormattedFigure:
    """Word a value in base units, with the interval in the same unit and with the same decimals.

    *unit* is asv's word; those without a scale here are appended as they are, and ``unit`` is dropped.
    """
    factor, name = scale(_size(value, interval), unit)
    scaled = None if interval is None else (interval[0] / factor, interval[1] / factor)
    decimals = _decimals(value / factor, scaled)
    return FormattedFigure(
        value=_join(_fixed(value / factor, decimals), name),
        interval=None if scaled is None else _range(scaled, decimals),
    )


def ratio(value: float, interval: tuple[float, float] | None) -> FormattedFigure:
    """Word how many times as much; a limit that is not 1 is not printed as 1, for the side of 1 is what it tells."""
    decimals = _decimals(value, interval)
    while decimals < MOST_DECIMALS and any(limit != 1 and _is_one(limit, decimals) for limit in interval or ()):
        decimals += 1
    return FormattedFigure(
        value=_fixed(value, decimals) + TIMES,
        interval=None if interval is None else _range(interval, decimals),
    )


def _is_one(limit: float, decimals: int) -> bool:
    return _fixed(limit, decimals) == _fixed(1, decimals)


def _size(value: float, interval: tuple[float, float] | None) -> float:
    return abs(value) or max(map(abs, interval or (0.0,)))


def scale(magnitude: float, unit: str) -> tuple[float, str]:
    """Return by what a figure of such *magnitude* in base units is divided, and what its unit is called then."""
    scales = SCALES.get(unit, ((1, "" if unit == "unit" else unit),))
    if magnitude == 0:
        return next(scale for scale in scales if scale[0] == 1)
    # 0.9995, for what rounds to 1.000 of a unit belongs to it
    return next((scale for scale in scales if magnitude >= scale[0] * 0.9995), scales[-1])


def _decimals(value: float, interval: tuple[float, float] | None) -> int:
    """Give two significant digits of the half-width, but two to five of the value; three without a width."""
    magnitude = _size(value, interval)
    if magnitude == 0:
        return 0
    half = 0.0 if interval is None else (interval[1] - interval[0]) / 2 / magnitude
    digits = min(5, max(2, math.ceil(-math.log10(half)) + 1)) if half > 0 else 3
    return max(0, digits - 1 - math.floor(math.log10(magnitude)))


def _range(interval: tuple[float, float], decimals: int) -> str:
    return f"{_fixed(interval[0], decimals)} {DASH} {_fixed(interval[1], decimals)}"


def _fixed(value: float, decimals: int) -> str:
    """Round half away from zero, as JavaScript does, and not half to even."""
    if decimals <= 9 and abs(value) < 1e7:
        text = str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    else:
        mantissa, exponent = f"{value:.2e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", MINUS)


def _join(text: str, unit: str) -> str:
    return f"{text} {unit}" if unit else text


def duration(seconds: float) -> str:
    """Word how long a job took; nobody minds its fractions of a second."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def share(value: float) -> str:
    """Return a share in per cent: no more digits than tell it from all and nothing."""
    percent = f"{value * 100:.3g}" if abs(value) < 10 else f"{value * 100:.0f}"
    return f"{'above 99.9' if percent == '100' and value < 1 else percent} %"
