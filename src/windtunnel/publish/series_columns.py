"""The values of a series as columns of small integers, which a site stores in a tenth of what floats take."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

FINEST = 1000
"""Steps that the typical value of a series is worth at least: rounding moves it by less than 0.05 %."""
LARGEST = 2**53
"""Beyond this a reader's floats no longer tell integers apart."""
MOST_DIGITS = 300
"""Decimal places that a float can be scaled by."""


def digits_of(values: Vector) -> int:
    """Return to how many decimal places (negative: tens, hundreds …) *values* are kept; NaN is no value.

    Whole numbers are kept whole, whatever their size, as far as a reader's floats hold them.
    """
    there = np.abs(values[np.isfinite(values) & (values != 0)])
    if not len(there):
        return 0
    if (there == np.floor(there)).all() and there.max() < LARGEST:
        return 0
    places = math.ceil(math.log10(FINEST)) - math.floor(math.log10(float(np.median(there))))
    most = math.floor(math.log10(LARGEST)) - math.ceil(math.log10(float(there.max())))
    return min(places, most, MOST_DIGITS)


def scaled(values: Vector, digits: int) -> Vector:
    """Return *values* as whole numbers of steps, NaN where there is none."""
    factor = 10.0 ** abs(digits)
    steps = np.rint(values * factor if digits >= 0 else values / factor)
    return np.where(np.isfinite(steps), steps, np.nan)


def steps_between(values: Vector) -> tuple[int | None, ...]:
    """Return the first of *values* and then how far each is from the one before; None is a gap, passed over."""
    there = np.isfinite(values)
    return _column(np.diff(values[there], prepend=0.0), there)


def whole(values: Vector) -> tuple[int | None, ...]:
    """Return *values* as integers; None is a gap."""
    there = np.isfinite(values)
    return _column(values[there], there)


def _column(numbers: Vector, there: NDArray[np.bool_]) -> tuple[int | None, ...]:
    """Return *numbers* where something is *there*, None elsewhere."""
    found: list[int] = numbers.astype(np.int64).tolist()
    if len(found) == len(there):
        return tuple(found)
    left = iter(found)
    return tuple(next(left) if here else None for here in there.tolist())


def walked(column: Iterable[int | None], digits: int) -> list[float | None]:
    """Return the values that ``steps_between`` made *column* of: what a reader does."""
    total, values = 0, list[float | None]()
    for step in column:
        total += step or 0
        values.append(None if step is None else unscaled(total, digits))
    return values


def unscaled(steps: int, digits: int) -> float:
    """Return the value of so many *steps*."""
    return steps / 10**digits if digits >= 0 else float(steps * 10**-digits)


SPARKS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""Heights of a sparkline, lowest first; a dot is a gap."""
SPARK_LENGTH = 24
"""Places of a sparkline; a phone shows no more."""


def sparkline(values: Sequence[float]) -> str:
    """Return the last values of a series, at most 24, as heights between their extremes; NaN is a gap."""
    (line,) = sparklines(values)
    return line


def sparklines(*columns: Sequence[float]) -> tuple[str, ...]:
    """Return the last values of each column, at most 24, as heights between the extremes of all; NaN is a gap."""
    last = np.array([column[-SPARK_LENGTH:] for column in columns], dtype=float)
    there = last[np.isfinite(last)]
    if not len(there):
        return ("",) * len(columns)
    low, high = float(there.min()), float(there.max())
    with np.errstate(over="ignore", invalid="ignore"):
        heights = np.nan_to_num((last - low) / (high - low) if high > low else last * 0 + 0.5, nan=0.0)
    places = np.rint(heights * (len(SPARKS) - 1)).astype(int)
    return tuple(
        "".join(SPARKS[place] if known else "." for place, known in zip(line, row, strict=True))
        for line, row in zip(places.tolist(), np.isfinite(last).tolist(), strict=True)
    )
