"""The band of a test: the ratios that a claim allows."""

import math

from msgspec import Struct

from windtunnel.model.result import Interval
from windtunnel_claims.claim import ClaimTest
from windtunnel_claims.format import Decision


class Band(Struct, frozen=True, kw_only=True):
    """The ratios that a claim allows on a machine. Both ends belong to the band; a single end does not."""

    low: float | None = None
    """The lower end; None if there is none."""
    high: float | None = None
    """The upper end; None if there is none."""

    def decide(self, interval: Interval) -> Decision:
        """Return whether *interval* lies within the band (holds), outside it (fails), or neither (undecided)."""
        closed = self.low is not None and self.high is not None
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        if closed:
            within = low <= interval.low and interval.high <= high
            outside = interval.high < low or high < interval.low
        else:
            within = low < interval.low and interval.high < high
            outside = interval.high <= low or high <= interval.low
        return Decision.HOLDS if within else Decision.FAILS if outside else Decision.UNDECIDED

    def includes(self, ratio: float) -> bool:
        """Return whether *ratio* lies between the ends or at one of them."""
        return (self.low is None or self.low <= ratio) and (self.high is None or ratio <= self.high)

    def nearest_end(self, ratio: float) -> float:
        """Return the end that is nearest to *ratio* on a logarithmic scale."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return min(ends, key=lambda end: abs(math.log(end) - math.log(ratio)))

    def without(self, indifference: float) -> "Band":
        """Return the band without the share *indifference* next to each end."""
        factor = 1 + indifference
        return Band(
            low=None if self.low is None else self.low * factor, high=None if self.high is None else self.high / factor
        )

    @property
    def log_ends(self) -> tuple[float, float]:
        """The logarithms of the ends; infinite where there is none."""
        return (
            -math.inf if self.low is None else math.log(self.low),
            math.inf if self.high is None else math.log(self.high),
        )


def claimed_band(test: ClaimTest, cores: int | None) -> Band | None:
    """Return the band of *test* on a machine with *cores*; None if it depends on them and they are unknown."""
    if test.between is not None:
        return Band(low=test.between[0], high=test.between[1])
    if test.ratio is not None and test.tolerance is not None:
        return Band(low=test.ratio * (1 - test.tolerance), high=test.ratio * (1 + test.tolerance))
    if test.above_per_core is None:
        return Band(low=test.above, high=test.below)
    return None if cores is None else Band(low=test.above_per_core * min(cores, test.max_cores or cores))
