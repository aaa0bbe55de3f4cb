"""The claims of a suite: ratios of cases and the bands that they are claimed to lie in (docs/claims.md)."""

import math
import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import product
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.claims.format import ClaimSource, ClaimStatement, ClaimTarget, Decision, Setting
from windtunnel.model.identity import BenchmarkName
from windtunnel.model.result import Interval


class Statistic(StrEnum):
    """The statistic of a process's samples that represents the process."""

    MEDIAN = "median"
    MINIMUM = "minimum"
    MEAN = "mean"
    MAXIMUM = "maximum"
    P90 = "p90"
    P95 = "p95"
    P99 = "p99"


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


class ClaimedBand(Struct, frozen=True, kw_only=True):
    """The band of a test, which may depend on the number of cores."""

    low: float | None = None
    """The lower end; None if there is none."""
    high: float | None = None
    """The upper end; None if there is none."""
    per_core: bool = False
    """Whether *low* is multiplied by the number of cores."""
    max_cores: int | None = None
    """The most cores that count; None if all count."""

    def on_machine(self, cores: int | None) -> Band | None:
        """Return the band on a machine with *cores*; None if it depends on them and they are unknown."""
        if not self.per_core or self.low is None:
            return Band(low=self.low, high=self.high)
        if cores is None:
            return None
        return Band(low=self.low * min(cores, self.max_cores or cores), high=self.high)


class ClaimedCase(Struct, frozen=True, kw_only=True):
    """A case as a claim names it; parameters that it does not set are given by the claim."""

    benchmark: BenchmarkName
    """The benchmark."""
    settings: tuple[Setting, ...]
    """The parameters that the claim sets for this case."""


class ClaimedRatio(Struct, frozen=True, kw_only=True):
    """The ratio contender / baseline."""

    contender: ClaimedCase
    """The case in the numerator."""
    baseline: ClaimedCase
    """The case in the denominator."""

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """The cases of the ratio, the contender first."""
        return (self.contender, self.baseline)


class ClaimTest(ClaimedRatio, frozen=True, kw_only=True):
    """One ratio and the band that it is claimed to lie in."""

    band: ClaimedBand
    """The band."""
    published: float | None = None
    """The ratio that the source reports."""
    divided_by: ClaimedRatio | None = None
    """A ratio that divides the ratio of the test."""

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """The cases of the ratio, then those of the ratio that divides it."""
        return (self.contender, self.baseline, *(self.divided_by.cases if self.divided_by else ()))


class ClaimFigure(ClaimedRatio, frozen=True, kw_only=True):
    """A figure that accompanies a claim and decides nothing: the ratio itself unless *per* or *cost* is set."""

    name: str
    """What the figure is."""
    per: tuple[tuple[str, float], ...] = ()
    """Report (contender - baseline) / count: the count for each value of a given parameter; "" for any value."""
    cost: ClaimedCase | None = None
    """Report the baseline from which the contender saves this case's cost: cost / (1 - contender / baseline)."""

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """The cases of the ratio, then the cost."""
        return (self.contender, self.baseline, *((self.cost,) if self.cost else ()))


class Scope(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """The targets that a claim is about.

    Storage needs no rule: a benchmark that does not find its storage is skipped.
    """

    python: str = ""
    """A regular expression that the whole version of Python must match; empty matches every version."""
    gil: bool | None = None
    """Whether the build must have a global interpreter lock; None for either."""
    cores: Annotated[int, Meta(ge=1)] = 1
    """The fewest cores."""

    def __post_init__(self) -> None:
        """Check the regular expression; raises ValueError."""
        try:
            re.compile(self.python)
        except re.error as error:
            raise ValueError(f"'python' is {self.python!r}, not a regular expression: {error}") from None

    def exclusion(self, target: ClaimTarget) -> str:
        """Return why *target* is out of scope; empty if it is in scope."""
        if self.python and not re.fullmatch(self.python, target.python):
            return f"the claim is about Pythons that match {self.python}"
        if self.gil is not None and self.gil is not target.gil:
            return f"the claim is about Pythons {'with' if self.gil else 'without'} the global interpreter lock"
        if target.cores is not None and target.cores < self.cores:
            return f"the claim is about {self.cores} or more cores"
        return ""


class GivenParameter(Struct, frozen=True, kw_only=True):
    """A parameter that all cases of a claim share."""

    name: str
    """The name of the parameter."""
    values: tuple[str, ...]
    """Its values as asv stores them, the preferred one first."""


class Claim(Struct, frozen=True, kw_only=True):
    """A claim that can be decided: it holds if all its tests hold."""

    statement: ClaimStatement
    """The claim in words."""
    tests: tuple[ClaimTest, ...]
    """The tests; at least one."""
    figures: tuple[ClaimFigure, ...] = ()
    """Figures that accompany the claim."""
    statistic: Statistic = Statistic.MEDIAN
    """The statistic that represents a process."""
    scope: Scope = Scope()
    """The targets that the claim is about."""
    given: tuple[GivenParameter, ...] = ()
    """The parameters that all cases share."""

    @property
    def id(self) -> str:
        """The name of the claim."""
        return self.statement.id

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """Every case of the claim; a case may occur more than once."""
        return tuple(case for ratio in (*self.tests, *self.figures) for case in ratio.cases)

    def choices(self) -> Iterator[tuple[Setting, ...]]:
        """Yield each combination of the given parameters, the preferred one first."""
        names = [each.name for each in self.given]
        for values in product(*(each.values for each in self.given)):
            yield tuple(Setting(name=name, value=value) for name, value in zip(names, values, strict=True))


class ClaimsFile(Struct, frozen=True, kw_only=True):
    """The content of a claims file."""

    sources: tuple[ClaimSource, ...] = ()
    """The sources of the claims."""
    claims: tuple[Claim, ...] = ()
    """The claims, in the order of the file."""
    control: Claim | None = None
    """A claim with one test whose ratio is known; runs whose control ratio is off are discarded."""
