"""One cause for all: nearly every case moved by the same factor.

Where base and head took turns, that is news (an interpreter, a dependency, build flags), said once, not case by case.
Where they were measured apart, it is most likely the machine: analysis.apart divides it out.
"""

import math

import numpy as np

from windtunnel.compare.format import CommonChange
from windtunnel.stats.paired_differences import Floats

MIN_CASES = 10
"""Cases below which "nearly everything" says nothing."""

MIN_SHARE = 0.8
"""Of all cases, how many have to lie near the common factor."""

MIN_COMMON_CHANGE = 0.01
"""Change in the middle case below which nothing is said: a suite of 150 without a change stays below 0.3 %."""


def find_common_change(logarithms: Floats) -> CommonChange | None:
    """Return the change that four of five *logarithms* of ratios lie within half of, if there is one."""
    if logarithms.size < MIN_CASES:
        return None
    centre = float(np.median(logarithms))
    near = np.abs(logarithms - centre) <= abs(centre) / 2
    if abs(centre) < math.log1p(MIN_COMMON_CHANGE) or near.mean() < MIN_SHARE:
        return None
    return CommonChange(relative_change=math.expm1(centre), cases=int(near.sum()), removed=False)
