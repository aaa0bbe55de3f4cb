"""What a suite's owner claims of its cases: the nouns of the claims file (docs/claims.md)."""

from dataclasses import dataclass
from enum import StrEnum

from windtunnel.measurement.claim_board import ClaimSource, Setting, StatedClaim
from windtunnel.measurement.identity import BenchmarkName


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
class ClaimTest:
    """One ratio, contender / baseline, the band that it is claimed to lie in, and the article's figure for it."""

    contender: ClaimedCase
    baseline: ClaimedCase
    band: Band
    article: float | None = None


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
    statistic: Statistic = Statistic.MEDIAN
    scope: Scope = Scope()
    given: tuple[Given, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimBook:
    """A claims file: where its claims come from, and the claims in their order."""

    sources: tuple[ClaimSource, ...] = ()
    claims: tuple[Claim, ...] = ()
