"""How often verdicts were wrong where the truth is known, as the site and its badge have it."""

from typing import Annotated

import msgspec
from msgspec import Meta

from windtunnel.stats.intervals import Proportion

Share = Annotated[float, Meta(ge=0, le=1)]


class PeriodRates(msgspec.Struct, frozen=True, kw_only=True):
    """The rates of one period; null where nothing was compared."""

    since: str
    """The first day (ISO 8601, UTC)."""
    false_alarms: Proportion | None
    """The share of comparisons of unchanged code that raised an alarm."""
    alarmed_runs: Proportion | None
    """The share of runs without any change in which at least one comparison raised an alarm."""
    found: Proportion | None
    """The share of built-in slowdowns that were reported as regressions."""


class LastCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The newest run."""

    date: str
    """The day (ISO 8601, UTC)."""
    commit: str
    """The commit that was measured."""
    url: str | None
    """The page of the run."""


class ErrorRatesData(msgspec.Struct, frozen=True, kw_only=True):
    """How often verdicts were wrong where the truth is known."""

    confidence: Share
    """The confidence of the intervals."""
    promised: Share
    """The promised probability that a run without any change has an alarm."""
    slowdown: Share | None
    """The share by which slowdowns were built in; null without any."""
    achieved: float | None
    """The median of what the slowed processes measured themselves; null without any."""
    opposite: Annotated[int, Meta(ge=0)]
    """Built-in slowdowns that were reported as improvements."""
    all: PeriodRates
    """All runs that are kept."""
    recent: PeriodRates
    """The last 90 days."""
    months: tuple[PeriodRates, ...]
    """The last 24 calendar months that have a run, the oldest first."""
    self_checks: Annotated[int, Meta(ge=0)]
    """The number of self-checks among them."""
    last: LastCheck
    """The newest run."""
