"""How the values of a series are looked at: as logarithms, so that changes are ratios, where all are above zero."""

import math
from dataclasses import dataclass

import numpy as np

from windtunnel.stats.noise_scale import Vector

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
        return difference / before if before > 0 else None


def scale_of(values: Vector) -> Scale:
    """Return the scale that fits all *values*."""
    if len(values) and values.min() > 0:
        return Scale(logarithmic=True, least_noise=LEAST_NOISE)
    sizes = np.abs(values[values != 0])
    return Scale(logarithmic=False, least_noise=LEAST_NOISE * float(np.median(sizes)) if len(sizes) else LEAST_NOISE)


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0))  # e^709 is the largest float
