"""What a suite's owner claims of its cases: the nouns of the claims file (docs/claims.md)."""

import math
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.claims.format import ClaimSource, Decision, Setting, StatedClaim
from windtunnel.model.identity import BenchmarkName
from windtunnel.model.result import Interval


class Statistic(StrEnum):
    """What of its values stands for a process."""

    MEDIAN = "median"
    MINIMUM = "minimum"
    MEAN = "mean"
    MAXIMUM = "maximum"
    P90 = "p90"
    P95 = "p95"
    P99 = "p99"


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The ratios that a claim allows, from *low* to *high*; None: no end there.

    Both ends belong to the band, a single one does not. *per_core*: *low* is a share of the machine's cores, of which
    at most *most_cores* count.
    """

    low: float | None = None
    high: float | None = None
    per_core: bool = False
    most_cores: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedCase:
    """A benchmark and those of its parameters that the claim names; the rest is given, or there is no rest."""

    benchmark: BenchmarkName
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRatio:
    """Contender / baseline."""

    contender: ClaimedCase
    baseline: ClaimedCase

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """Every case that is spoken of."""
        return (self.contender, self.baseline)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTest(ClaimedRatio):
    """One ratio, the band that it is claimed to lie in, and the article's figure for it.

    *divided_by*: the claim is about how the ratio stands to this other one.
    """

    band: Band
    article: float | None = None
    divided_by: ClaimedRatio | None = None

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """Contender and baseline, and those of the ratio that theirs is divided by."""
        return (self.contender, self.baseline, *(self.divided_by.cases if self.divided_by else ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFigure(ClaimedRatio):
    """A figure that belongs to a claim and decides nothing: the ratio itself, or one of two others.

    *per*: (contender - baseline) / so many, by the value of what all cases share (empty text: whatever it is).
    *cost*: from how much of the baseline on the contender pays for this cost: cost / (1 - contender / baseline).
    """

    name: str
    per: tuple[tuple[str, float], ...] = ()
    cost: ClaimedCase | None = None

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """Contender and baseline, and the cost where there is one."""
        return (self.contender, self.baseline, *((self.cost,) if self.cost else ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where a claim is made: on Pythons that *python*, a regular expression, matches wholly (empty: all), with the
    global lock (*gil*: true) or without (false) or either way (None), and on at least *cores* cores.

    Storage needs no rule: a benchmark that does not find the storage it is about is skipped.
    """

    python: str = ""
    gil: bool | None = None
    cores: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A parameter that all cases of a claim share, and its values, the preferred one first."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(StatedClaim):
    """A claim that can be decided: it holds where all its tests do."""

    tests: tuple[ClaimTest, ...]
    figures: tuple[ClaimFigure, ...] = ()
    statistic: Statistic = Statistic.MEDIAN
    scope: Scope = Scope()
    given: tuple[Given, ...] = ()

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """Every case that the claim speaks of; some more than once."""
        return tuple(case for one in (*self.tests, *self.figures) for case in one.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimBook:
    """A claims file: where its claims come from, and the claims in their order.

    *canary* has one test, whose ratio is known beforehand: of a run that shows another, nothing is believed.
    """

    sources: tuple[ClaimSource, ...] = ()
    claims: tuple[Claim, ...] = ()
    canary: Claim | None = None


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
