"""The band of a test on a machine, and on which side of it an interval lies."""

import math
from dataclasses import dataclass

from windtunnel.claims.claim import Band
from windtunnel.claims.format import Decision
from windtunnel.model.result import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """From *low* to *high*, both of them included; a single end (the other is None) is not."""

    low: float | None
    high: float | None

    def decide(self, interval: Interval) -> Decision:
        """Say whether all of *interval* lies within, or none of it."""
        closed = self.low is not None and self.high is not None
        above, below = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        if closed:
            within = above <= interval.low and interval.high <= below
            without = interval.high < above or below < interval.low
        else:
            within = above < interval.low and interval.high < below
            without = interval.high <= above or below <= interval.low
        return Decision.HOLDS if within else Decision.FAILS if without else Decision.UNDECIDED

    def nearest(self, ratio: float) -> float:
        """Return the end that is nearest to *ratio*, in proportion."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return min(ends, key=lambda end: abs(math.log(end) - math.log(ratio)))


def ends(band: Band, cores: int | None) -> Ends | None:
    """Return the ends of *band* on a machine of *cores*; None where it needs to know them and cannot."""
    if not band.per_core or band.low is None:
        return Ends(low=band.low, high=band.high)
    if cores is None:
        return None
    return Ends(low=band.low * min(cores, band.most_cores or cores), high=band.high)
