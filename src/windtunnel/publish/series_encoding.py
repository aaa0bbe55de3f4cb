"""Encodes the values of a series as columns of small integers, a tenth of the size of floats; and sparklines."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from windtunnel.results.columns import Floats

MIN_STEPS = 1000
"""The steps in the typical value of a series, at least: rounding changes it by less than 0.05 %."""
MAX_INTEGER = 2**53
"""The largest integer up to which a reader's floats are exact."""
MAX_DIGITS = 300
"""The decimal places that a float can be scaled by."""


def count_digits(values: Floats) -> int:
    """Return the decimal places to keep of *values*; negative for tens, hundreds and so on. NaN is a gap.

    Integers are kept exactly, as far as a reader's floats are exact.
    """
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if not len(sizes):
        return 0
    if (sizes == np.floor(sizes)).all() and sizes.max() < MAX_INTEGER:
        return 0
    places = math.ceil(math.log10(MIN_STEPS)) - math.floor(math.log10(float(np.median(sizes))))
    limit = math.floor(math.log10(MAX_INTEGER)) - math.ceil(math.log10(float(sizes.max())))
    return min(places, limit, MAX_DIGITS)


def to_steps(values: Floats, digits: int) -> Floats:
    """Return *values* as whole numbers of steps of 10 ** -digits; NaN is a gap."""
    factor = 10.0 ** abs(digits)
    steps = np.rint(values * factor if digits >= 0 else values / factor)
    return np.where(np.isfinite(steps), steps, np.nan)


def encode_differences(steps: Floats) -> tuple[int | None, ...]:
    """Return the first of *steps*, then the difference of each to the one before; None is a gap, which they skip."""
    known = np.isfinite(steps)
    return _with_gaps(np.diff(steps[known], prepend=0.0), known)


def encode_integers(steps: Floats) -> tuple[int | None, ...]:
    """Return *steps* as integers; None is a gap."""
    known = np.isfinite(steps)
    return _with_gaps(steps[known], known)


def _with_gaps(numbers: Floats, known: NDArray[np.bool_]) -> tuple[int | None, ...]:
    """Return *numbers* in order where *known* is true, None elsewhere."""
    integers: list[int] = numbers.astype(np.int64).tolist()
    if len(integers) == len(known):
        return tuple(integers)
    remaining = iter(integers)
    return tuple(next(remaining) if here else None for here in known.tolist())


def decode_differences(column: Iterable[int | None], digits: int) -> list[float | None]:
    """Return the values that `encode_differences` encoded as *column*, as a reader does."""
    total, values = 0, list[float | None]()
    for step in column:
        total += step or 0
        values.append(None if step is None else from_steps(total, digits))
    return values


def from_steps(steps: int, digits: int) -> float:
    """Return the value of a number of *steps* of 10 ** -digits."""
    return steps / 10**digits if digits >= 0 else float(steps * 10**-digits)


HEIGHTS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The heights of a sparkline, lowest first; a dot is a gap."""
SPARKLINE_LENGTH = 24
"""The positions of a sparkline: as many as a phone shows."""


def sparklines(*columns: Sequence[float]) -> tuple[str, ...]:
    """Return the last values of each column as heights between the extremes of all columns; NaN is a gap."""
    last = np.array([column[-SPARKLINE_LENGTH:] for column in columns], dtype=float)
    known = last[np.isfinite(last)]
    if not len(known):
        return ("",) * len(columns)
    low, high = float(known.min()), float(known.max())
    with np.errstate(over="ignore", invalid="ignore"):
        heights = np.nan_to_num((last - low) / (high - low) if high > low else last * 0 + 0.5, nan=0.0)
    indices = np.rint(heights * (len(HEIGHTS) - 1)).astype(int)
    return tuple(
        "".join(HEIGHTS[index] if known else "." for index, known in zip(line, row, strict=True))
        for line, row in zip(indices.tolist(), np.isfinite(last).tolist(), strict=True)
    )
