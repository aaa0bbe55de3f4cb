"""A change of one series before it is put into words: places in the history, levels on the series' scale."""

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from windtunnel.detect.format import ChangeKind, ChangeStatus, Direction, Magnitude
from windtunnel.detect.levels import SeriesLevels
from windtunnel.model.measure import Better
from windtunnel.model.result import Interval

INTERVAL = 0.95
MAGNITUDES = ((math.log(1.05), Magnitude.SMALL), (math.log(1.2), Magnitude.MEDIUM), (math.log(2), Magnitude.LARGE))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateChange:
    """A change of *found*: it came after *previous* and at the latest with *latest*, most likely with *position*.

    These three are positions in the history; *before*, *after* and *error* are on the series' scale.
    """

    found: SeriesLevels
    kind: ChangeKind
    previous: int
    earliest: int
    position: int
    latest: int
    before: float
    after: float
    error: float
    freedom: float
    chance: float
    status: ChangeStatus = ChangeStatus.CURRENT
    flip: bool = False
    """It leads to a level that the series had, and left, several times before."""

    @property
    def difference(self) -> float:
        """The change, on the series' scale."""
        return self.after - self.before

    @property
    def relative_change(self) -> float | None:
        """After / before - 1; None where before is not above zero."""
        scale = self.found.scale
        return scale.relative(scale.back(self.before), self.difference)

    @property
    def interval(self) -> Interval | None:
        """The range that holds the relative change with 95 % confidence."""
        scale, before = self.found.scale, self.found.scale.back(self.before)
        half = float(stdtrit(self.freedom, (1 + INTERVAL) / 2)) * self.error
        low, high = scale.relative(before, self.difference - half), scale.relative(before, self.difference + half)
        return None if low is None or high is None else Interval(low=low, high=high)

    @property
    def direction(self) -> Direction:
        """Whether it is for the better."""
        better = (self.difference > 0) == (self.found.series.expected.better is Better.HIGHER)
        return Direction.IMPROVED if better else Direction.REGRESSED

    @property
    def magnitude(self) -> Magnitude:
        """How large it is, alike for a factor and its inverse; from or to zero is huge."""
        relative = self.relative_change
        if relative is None or relative <= -1:
            return Magnitude.HUGE
        size = abs(math.log1p(relative))
        return next((word for limit, word in MAGNITUDES if size < limit - 1e-12), Magnitude.HUGE)


def is_relevant(found: SeriesLevels, difference: float, before: float, least: float = 0.0) -> bool:
    """Tell whether a difference is as large as the owner asks, as *least*, and as what a single run scatters."""
    least = max(least, found.series.expected.threshold)
    relative = found.scale.relative(found.scale.back(before), difference)
    large = relative is None or abs(relative) >= least
    return large and abs(difference) >= found.levels.noise
