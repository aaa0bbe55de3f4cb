"""Encodes the values of a series as columns of small integers, a tenth of the size of floats; and sparklines."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.results.columns import CaseKey, Floats
from windtunnel.results.series_table import SeriesTable

MIN_STEPS = 1000
"""The steps in the typical value of a series (geometric mean), at least: rounding changes it by less than 0.05 %."""
MAX_INTEGER = 2**53
"""The largest integer up to which a reader's floats are exact."""
MAX_DIGITS = 300
"""The decimal places that a float can be scaled by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedSeries:
    """A series in columns of integers."""

    case: CaseKey
    target: int
    digits: int
    commits: tuple[int, ...]
    values: tuple[int | None, ...]
    below: tuple[int | None, ...]
    above: tuple[int | None, ...]


def encode_series(table: SeriesTable) -> Iterator[EncodedSeries]:
    """Yield each series of *table*, encoded; all at once, because a series alone has few values."""
    if not len(table.case):
        return
    starts = np.append(0, np.flatnonzero((np.diff(table.case) != 0) | (np.diff(table.target) != 0)) + 1)
    lengths = np.diff(np.append(starts, len(table.case)))
    digits = count_digits(table.value, starts)
    of_row = np.repeat(digits, lengths)
    steps = to_steps(table.value, of_row)
    commits = np.diff(table.commit, prepend=0)
    commits[starts] = table.commit[starts]
    values = _with_gaps(differences(steps, starts), steps)
    widths = steps - to_steps(table.low, of_row), to_steps(table.high, of_row) - steps
    below, above = (_with_gaps(width, width) for width in widths)
    listed = commits.tolist()
    for start, length, places in zip(starts.tolist(), lengths.tolist(), digits.tolist(), strict=True):
        end = start + length
        yield EncodedSeries(
            case=table.cases[table.case[start]],
            target=int(table.target[start]),
            digits=places,
            commits=tuple(listed[start:end]),
            values=tuple(values[start:end]),
            below=tuple(below[start:end]),
            above=tuple(above[start:end]),
        )


def count_digits(values: Floats, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the decimal places to keep of each series; negative for tens, hundreds and so on. NaN is a gap.

    *starts* are the first rows of the series. Integers are kept exactly, as far as a reader's floats are exact.
    """
    sizes = np.abs(values)
    has_size = np.isfinite(sizes) & (sizes > 0)
    sizes = np.where(has_size, sizes, 1.0)
    number = np.add.reduceat(has_size, starts, dtype=np.int64)
    largest = np.maximum.reduceat(np.where(has_size, sizes, 0.0), starts)
    is_whole = np.logical_and.reduceat(~has_size | (sizes == np.floor(sizes)), starts) & (largest < MAX_INTEGER)
    typical = np.add.reduceat(np.where(has_size, np.log10(sizes), 0.0), starts) / np.maximum(number, 1)
    places = math.ceil(math.log10(MIN_STEPS)) - np.floor(typical)
    limit = math.floor(math.log10(MAX_INTEGER)) - np.ceil(np.log10(np.where(largest > 0, largest, 1.0)))
    return np.where(is_whole, 0, np.minimum(np.minimum(places, limit), MAX_DIGITS)).astype(np.int64)


def to_steps(values: Floats, digits: NDArray[np.int64]) -> Floats:
    """Return *values* as whole numbers of steps of 10 ** -digits; NaN is a gap."""
    with np.errstate(over="ignore", invalid="ignore"):
        factor = 10.0 ** np.abs(digits)
        steps = np.rint(np.where(digits >= 0, values * factor, values / factor))
    return np.where(np.isfinite(steps), steps, np.nan)


def differences(steps: Floats, starts: NDArray[np.int64]) -> Floats:
    """Return the first known of the *steps* of each series, then the differences between neighbours; NaN is a gap."""
    known = np.flatnonzero(np.isfinite(steps))
    series = np.searchsorted(starts, known, side="right")
    found = np.diff(steps[known], prepend=0.0)
    begins = np.diff(series, prepend=0) != 0
    found[begins] = steps[known][begins]
    result = np.full(len(steps), np.nan)
    result[known] = found
    return result


def _with_gaps(numbers: Floats, steps: Floats) -> list[int | None]:
    """Return *numbers* as integers, None where *steps* are not finite."""
    known = np.isfinite(steps)
    listed: list[int | None] = np.where(known, numbers, 0).astype(np.int64).tolist()
    for gap in np.flatnonzero(~known).tolist():
        listed[gap] = None
    return listed


def decode_differences(column: Iterable[int | None], digits: int) -> list[float | None]:
    """Return the values that `differences` encoded as *column*, as a reader does."""
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
