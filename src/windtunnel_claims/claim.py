"""The claims of a suite: ratios of cases and the bands that they are claimed to lie in (docs/how-to/claims.md).

The types have the keys of the tables in a claims file.
"""

import math
import re
from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from windtunnel.model.identity import BenchmarkName
from windtunnel.model.run import Interval
from windtunnel_claims.format import ClaimStatement, ClaimTarget, Condition, Decision, Setting, Text
from windtunnel_claims.samples_format import ProcessMode

Number = Annotated[float, Meta(gt=0, le=1e100)]
Value = str | int | float | bool

BAND_KEYS = frozenset({"between", "below", "above"})
BAND_ADVICE = "write one of: between = [0.8, 1.25], or below and above, one or both"

NEAR = 1.1
"""How near a ratio may be to a limit, as a factor, before its interval must go over days."""

SIZE = 1.5
"""The factor up to which a ratio has the size of a published one."""


class Statistic(StrEnum):
    """The statistic of a process's samples that represents the process."""

    MEDIAN = "median"
    MEAN = "mean"
    MAXIMUM = "maximum"
    P95 = "p95"
    MAXIMUM_BY_MEDIAN = "maximum-by-median"
    """How many times the median the largest is: a number without a unit."""

    @property
    def is_tail(self) -> bool:
        """Whether few samples decide it, so that blocks in which one side is late are rare: it needs many blocks."""
        return self not in (Statistic.MEDIAN, Statistic.MEAN)

    def unit(self, samples: str | None) -> str | None:
        """Return the unit of the statistic of *samples* in that unit."""
        return "unit" if self is Statistic.MAXIMUM_BY_MEDIAN else samples


class ClaimedCase(Struct, frozen=True, kw_only=True):
    """A case as a claim names it; parameters that it does not set are given by the claim."""

    benchmark: BenchmarkName
    """The benchmark."""
    settings: tuple[Setting, ...]
    """The parameters that the claim sets for this case."""


class ClaimsTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of a claims file. Its checks raise ValueError."""


class ClaimedRatio(ClaimsTable, frozen=True, kw_only=True):
    """The ratio contender / baseline."""

    benchmark: Text
    """The benchmark of both cases."""
    contender: dict[str, Value] = {}
    """The parameters of the case in the numerator."""
    baseline: dict[str, Value] = {}
    """The parameters of the case in the denominator."""
    contender_benchmark: Text | None = None
    """The benchmark of the contender, if it differs."""

    def __post_init__(self) -> None:
        """Check that there are two cases."""
        contender, baseline = self.cases
        if contender == baseline:
            raise ValueError("the contender is the baseline, so the ratio is 1; name another case")

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """The contender and the baseline."""
        return self.case(self.contender, self.contender_benchmark), self.case(self.baseline)

    def case(self, parameters: dict[str, Value], benchmark: str | None = None) -> ClaimedCase:
        """Return the case of *benchmark* (None: the benchmark of both cases) with *parameters*."""
        settings = tuple(Setting(name=name, value=repr(value)) for name, value in parameters.items())
        return ClaimedCase(benchmark=BenchmarkName(benchmark or self.benchmark), settings=settings)


class Band(Struct, frozen=True, kw_only=True):
    """The ratios that a claim allows on a machine. Both ends belong to the band; a single end does not."""

    low: float | None = None
    """The lower end; None if there is none."""
    high: float | None = None
    """The upper end; None if there is none."""

    def decide(self, interval: Interval) -> Decision:
        """Return whether *interval* lies within the band (holds), outside it (fails), or neither (undecided)."""
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        if math.isfinite(low) and math.isfinite(high):
            within = low <= interval.low and interval.high <= high
            outside = interval.high < low or high < interval.low
        else:
            within = low < interval.low and interval.high < high
            outside = interval.high <= low or high <= interval.low
        return Decision.HOLDS if within else Decision.FAILS if outside else Decision.UNDECIDED

    @property
    def ends(self) -> tuple[float, ...]:
        """The ends that there are."""
        return tuple(end for end in (self.low, self.high) if end is not None)

    def nearest_end(self, ratio: float) -> float:
        """Return the end that is nearest to *ratio* on a logarithmic scale."""
        return min(self.ends, key=lambda end: abs(math.log(end) - math.log(ratio)))

    def is_near(self, ratio: float) -> bool:
        """Return whether *ratio* is nearer to an end than 10 %, and than a quarter of the width of a narrow band."""
        width = math.log(self.ends[-1] / self.ends[0]) / 4 if len(self.ends) == 2 else math.inf
        return abs(math.log(ratio / self.nearest_end(ratio))) < min(math.log(NEAR), width)

    def zones(self, share: float) -> tuple["Band", ...]:
        """Return the ratios that differ from an end by at most *share*, for each end."""
        return tuple(Band(low=end / (1 + share), high=end * (1 + share)) for end in self.ends) if share else ()

    @property
    def log_ends(self) -> tuple[float, float]:
        """The logarithms of the ends; infinite where there is none."""
        return (
            -math.inf if self.low is None else math.log(self.low),
            math.inf if self.high is None else math.log(self.high),
        )


class ClaimTest(ClaimedRatio, frozen=True, kw_only=True):
    """One ratio and the band that it is claimed to lie in: ``[[claim.test]]``."""

    between: tuple[Number, Number] | None = None
    """Both ends of the band."""
    below: Number | None = None
    """The upper end of the band."""
    above: Number | None = None
    """The lower end of the band."""
    published: Number | None = None
    """The ratio that the source reports."""
    zone: Annotated[float, Meta(ge=0, le=0.5)] = 0.0
    """The share next to each end of the band within which a ratio is about at the limit."""
    at: Value = ""
    """The value of the parameter of a series; empty without a series."""

    def __post_init__(self) -> None:
        """Check that there are two cases and exactly one band."""
        super().__post_init__()
        if (self.between is None) is (self.below is None and self.above is None):
            raise ValueError(f"a test has exactly one band: {BAND_ADVICE}")
        if len(self.band.ends) == 2:
            low, high = self.band.ends
            if low >= high:
                raise ValueError(f"the band from {low:g} to {high:g} is empty; write the smaller number first")
            if high / low < (1 + self.zone) ** 2:
                raise ValueError(
                    f"the band from {low:g} to {high:g} lies within its zone of {self.zone:g}; "
                    "write a smaller zone or a wider band"
                )

    @property
    def band(self) -> Band:
        """The claimed band."""
        low, high = self.between or (self.above, self.below)
        return Band(low=low, high=high)


class ClaimFigure(ClaimedRatio, frozen=True, kw_only=True):
    """A figure that accompanies a claim and decides nothing: ``[[claim.figure]]``.

    It is the ratio itself unless *per* is set.
    """

    name: Text
    """What the figure is."""
    per: Number | None = None
    """Report (contender - baseline) / count: the count."""


class Scope(ClaimsTable, frozen=True, kw_only=True):
    """The targets that a claim is about."""

    python: str = ""
    """A regular expression that the whole version of Python must match; empty matches every version."""
    gil: bool | None = None
    """Whether the build must have a global interpreter lock; None for either."""
    cores: Annotated[int, Meta(ge=1)] = 1
    """The fewest cores."""

    def __post_init__(self) -> None:
        """Check the regular expression."""
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


class Claim(ClaimStatement, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A claim: it holds if all its tests hold."""

    published_text: str = field(name="published-text", default="")
    """What the source says where it has no figure."""
    said_by: Literal["article", "readers", "suite"] = field(name="said-by", default="article")
    """Whether an article says it, its readers ask it, or the authors of the suite do."""
    statistic: Statistic = Statistic.MEDIAN
    """The statistic that represents a process, or a visit in a block."""
    processes: ProcessMode = ProcessMode.SHARED
    """Whether the cases of a block share a process; ``separate`` for memory and for what cannot share one."""
    round_trips: bool = field(name="round-trips", default=False)
    """Whether a round trip of threads or sockets is timed, which takes longer where processors sleep between."""
    disputed: str = ""
    """Why the claim stays undecided: another program shows something else."""
    given: dict[str, Value] = field(default_factory=dict)
    """The parameters that all cases share."""
    series: dict[str, Annotated[tuple[Value, ...], Meta(min_length=2, max_length=20)]] = field(default_factory=dict)
    """A parameter and its values, ascending: the claim is about the value from which the contender takes less."""
    crossing: tuple[Value, Value] | None = None
    """Values at which the contender is claimed to take more, and less; empty for none."""
    scope: Scope = Scope()
    """The targets that the claim is about."""
    tests: tuple[ClaimTest, ...] = field(name="test")
    """The tests; at least one. A series has one for each value."""
    figures: tuple[ClaimFigure, ...] = field(name="figure", default=())
    """Figures that accompany the claim."""

    def __post_init__(self) -> None:
        """Check that a series has one parameter and a claimed crossing."""
        if bool(self.series) is not (self.crossing is not None) or len(self.series) > 1:
            raise ValueError('write both, with one parameter: series = { rows = [1, 10] }, crossing = ["", 10]')
        if self.crossing and self.claimed_places[0] >= self.claimed_places[1]:
            raise ValueError(f"'crossing' is {list(self.crossing)}; write values of the series, the smaller one first")

    @property
    def points(self) -> tuple[Value, ...]:
        """The values of the series; empty without one."""
        return next(iter(self.series.values()), ())

    @property
    def claimed_places(self) -> tuple[int, int]:
        """The indices of the values of the claimed crossing, outside the series for an open end."""
        low, high = self.crossing or ("", "")
        places = {repr(point): at for at, point in enumerate(self.points)}
        below = -1 if low == "" else places.get(repr(low), len(places))
        return below, len(places) if high == "" else places.get(repr(high), -1)

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """Every case of the claim; a case may occur more than once."""
        return tuple(case for ratio in (*self.tests, *self.figures) for case in ratio.cases)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The given parameters."""
        return tuple(Setting(name=name, value=repr(value)) for name, value in self.given.items())

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions in which the claim is measured."""
        return ("idle", "awake") if self.round_trips else ("",)
