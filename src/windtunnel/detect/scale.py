"""How the values of a series are looked at: as logarithms, so that changes are ratios, where all are above zero."""

import math
from dataclasses import dataclass

import numpy as np

from windtunnel.stats.noise_scale import Vector

TINY = 1e-100
"""What is not above this is zero: nothing is relative to it."""
ROUNDING = 1e-12
"""Of the largest value: differences below it are lost when floats are added."""
LEAST_NOISE = 1e-3
"""Changes are never weighed against less than 0.1 % of noise: ties and coarse clocks pretend to none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Logarithmic, or linear where a value is zero or negative."""

    logarithmic: bool
    least_noise: float

    def there(self, values: Vector) -> Vector:
        """Return *values* on this scale."""
        return np.log(values) if self.logarithmic else values

    def back(self, value: float) -> float:
        """Return a value on this scale in its unit."""
        return _exp(value) if self.logarithmic else value

    def relative(self, before: float, difference: float) -> float | None:
        """Return what *difference* is relative to *before*, which is in its unit; None where that means nothing."""
        if self.logarithmic:
            return _exp(difference) - 1
        return difference / before if before > TINY else None


def scale_of(values: Vector) -> Scale:
    """Return the scale that fits all *values*."""
    if len(values) and values.min() > 0:
        return Scale(logarithmic=True, least_noise=LEAST_NOISE)
    sizes = np.abs(values[np.abs(values) > TINY])
    if not len(sizes):
        return Scale(logarithmic=False, least_noise=LEAST_NOISE)
    least = max(LEAST_NOISE * float(np.median(sizes)), ROUNDING * float(sizes.max()))
    return Scale(logarithmic=False, least_noise=least)


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0))  # e^709 is the largest float
