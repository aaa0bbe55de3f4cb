"""The claims of a suite: ratios of cases and the bands that they are claimed to lie in (docs/how-to/claims.md).

The types have the keys of the tables in a claims file.
"""

import math
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import product
from typing import Annotated

from msgspec import Meta, Struct, convert, field

from windtunnel.model.identity import BenchmarkName
from windtunnel.model.run import Interval
from windtunnel_claims.format import ClaimStatement, ClaimTarget, Decision, Setting, Text
from windtunnel_claims.samples_format import ProcessMode

Number = Annotated[float, Meta(gt=0, le=1e100)]
Value = str | int | float | bool
Values = Value | Annotated[tuple[Value, ...], Meta(min_length=1)]

BAND_FORMS = (("ratio", "tolerance"), ("between",), ("below", "above"), ("above-per-core", "max-cores"))
"""The keys of each way to write a band."""

BAND_ADVICE = (
    "write one of: ratio and tolerance (0.333 and 0.03: 3 % to both sides), between = [0.8, 1.25], "
    "below and above, one or both, or above-per-core"
)


class Statistic(StrEnum):
    """The statistic of a process's samples that represents the process."""

    MEDIAN = "median"
    MINIMUM = "minimum"
    MEAN = "mean"
    MAXIMUM = "maximum"
    P90 = "p90"
    P95 = "p95"
    P99 = "p99"
    MAXIMUM_BY_MEDIAN = "maximum-by-median"
    """How many times the median the largest is: a number without a unit."""

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

    benchmark: Text | None = None
    """The benchmark of both cases."""
    contender: dict[str, Value] = {}
    """The parameters of the case in the numerator."""
    baseline: dict[str, Value] = {}
    """The parameters of the case in the denominator."""
    contender_benchmark: Text | None = None
    """The benchmark of the contender, if it differs."""
    baseline_benchmark: Text | None = None
    """The benchmark of the baseline, if it differs."""

    def __post_init__(self) -> None:
        """Check that there are two cases."""
        if not (self.benchmark or (self.contender_benchmark and self.baseline_benchmark)):
            raise ValueError("the key 'benchmark' is missing; add it")
        contender, baseline = self.ratio_cases
        if contender == baseline:
            raise ValueError("the contender is the baseline, so the ratio is 1; name another case")

    @property
    def ratio_cases(self) -> tuple[ClaimedCase, ClaimedCase]:
        """Contender and baseline."""
        return (
            self.case(self.contender, self.contender_benchmark),
            self.case(self.baseline, self.baseline_benchmark),
        )

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """All cases, contender and baseline first."""
        return self.ratio_cases

    def case(self, parameters: dict[str, Value], benchmark: str | None) -> ClaimedCase:
        """Return the case of *benchmark* (None: the benchmark of both cases) with *parameters*."""
        settings = tuple(Setting(name=name, value=repr(value)) for name, value in parameters.items())
        return ClaimedCase(benchmark=BenchmarkName(benchmark or self.benchmark or ""), settings=settings)


class ClaimTest(ClaimedRatio, frozen=True, kw_only=True):
    """One ratio and the band that it is claimed to lie in: ``[[claim.test]]``."""

    ratio: Number | None = None
    """The middle of the band."""
    tolerance: Annotated[float, Meta(gt=0, lt=1)] | None = None
    """The distance of both ends from *ratio*, as a share of it."""
    between: tuple[Number, Number] | None = None
    """Both ends of the band."""
    below: Number | None = None
    """The upper end of the band."""
    above: Number | None = None
    """The lower end of the band."""
    above_per_core: Number | None = None
    """The lower end of the band as a share of the number of cores."""
    max_cores: Annotated[int, Meta(ge=1)] | None = None
    """The most cores that count."""
    published: Number | None = None
    """The ratio that the source reports."""
    divided_by: ClaimedRatio | None = None
    """A ratio that divides the ratio of the test."""
    indifference: Annotated[float, Meta(ge=0, le=0.5)] = 0.0
    """The share next to each end of the band where both decisions are right."""

    def __post_init__(self) -> None:
        """Check that there are two cases and exactly one band."""
        super().__post_init__()
        used = [form for form in BAND_FORMS if any(self._is_set(key) for key in form)]
        if len(used) != 1:
            raise ValueError(f"there are {len(used)} bands; a test has exactly one: {BAND_ADVICE}")
        for key, needed in (("ratio", "tolerance"), ("tolerance", "ratio"), ("max-cores", "above-per-core")):
            if self._is_set(key) and not self._is_set(needed):
                raise ValueError(f"the key {needed!r} is missing; {BAND_ADVICE}")
        band = claimed_band(self, 1) or Band()
        if band.low is None or band.high is None:
            return
        ends = f"from {band.low:g} to {band.high:g}"
        if band.low >= band.high:
            raise ValueError(f"the band {ends} is empty; write the smaller number first")
        inner = band.without(self.indifference)
        if inner.low is None or inner.high is None or inner.low > inner.high:
            raise ValueError(
                f"the band {ends} lies within its indifference of {self.indifference:g}; "
                "write a smaller indifference or a wider band"
            )

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """All cases: those of the ratio, then those of the ratio that divides it."""
        return (*self.ratio_cases, *(self.divided_by.ratio_cases if self.divided_by else ()))

    def _is_set(self, key: str) -> bool:
        return getattr(self, key.replace("-", "_")) is not None


class ClaimFigure(ClaimedRatio, frozen=True, kw_only=True):
    """A figure that accompanies a claim and decides nothing: ``[[claim.figure]]``.

    It is the ratio itself unless *per* or *cost* is set.
    """

    name: Text
    """What the figure is."""
    per: Number | dict[str, Number] | None = None
    """Report (contender - baseline) / count: the count, or a count for each value of a given parameter."""
    cost: dict[str, Value] | None = None
    """Report the baseline from which the contender saves this case's cost: cost / (1 - contender / baseline)."""
    cost_benchmark: Text | None = None
    """The benchmark of the cost, if it differs."""

    def __post_init__(self) -> None:
        """Check that there are two cases, and a count or a cost but not both."""
        super().__post_init__()
        if self.per is not None and self.cost is not None:
            raise ValueError("a figure has 'per' or 'cost', not both; remove one")
        if self.cost is not None and not (self.cost_benchmark or self.benchmark):
            raise ValueError("the key 'cost-benchmark' is missing; add it")

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """All cases: those of the ratio, then the cost."""
        return (*self.ratio_cases, *(() if self.cost is None else (self.case(self.cost, self.cost_benchmark),)))

    def count(self, given: Iterable[Setting]) -> float | None:
        """Return the count for the *given* parameters; None if the file has none."""
        if not isinstance(self.per, dict):
            return self.per
        counts = {repr(key): count for key, count in self.per.items()}
        return next((counts[setting.value] for setting in given if setting.value in counts), None)


class Scope(ClaimsTable, frozen=True, kw_only=True):
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
    statistic: Statistic = Statistic.MEDIAN
    """The statistic that represents a process, or a visit in a block."""
    processes: ProcessMode = ProcessMode.SHARED
    """Whether the cases of a block share a process; ``separate`` for memory and for what cannot share one."""
    instructions: bool = False
    """Whether the instructions of its cases are counted beside their times."""
    given: dict[str, Values] = field(default_factory=dict)
    """The parameters that all cases share; of several values the first is preferred."""
    scope: Scope = Scope()
    """The targets that the claim is about."""
    tests: tuple[ClaimTest, ...] = field(name="test")
    """The tests; at least one."""
    figures: tuple[ClaimFigure, ...] = field(name="figure", default=())
    """Figures that accompany the claim."""

    @property
    def statement(self) -> ClaimStatement:
        """The claim in words."""
        return convert(self, ClaimStatement, from_attributes=True)

    @property
    def cases(self) -> tuple[ClaimedCase, ...]:
        """Every case of the claim; a case may occur more than once."""
        return tuple(case for ratio in (*self.tests, *self.figures) for case in ratio.cases)

    def choices(self) -> Iterator[tuple[Setting, ...]]:
        """Yield each combination of the given parameters, the preferred one first."""
        for values in product(*(each if isinstance(each, tuple) else (each,) for each in self.given.values())):
            yield tuple(Setting(name=name, value=repr(value)) for name, value in zip(self.given, values, strict=True))


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
