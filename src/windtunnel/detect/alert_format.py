"""The types of alerts.json and of the changes that alerts need at GitHub; docs/how-to/alerts.md explains both."""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from windtunnel.compare.bisect_format import BisectionAnswer, DecidedBy
from windtunnel.detect.format import (
    CandidateCommits,
    ChangeKind,
    ChangeStatus,
    Count,
    Direction,
    MeasuredCase,
    PlotWindow,
)
from windtunnel.formats import Format
from windtunnel.model.identity import MachineName
from windtunnel.model.result import LevelShares

SCHEMA = "windtunnel.alerts/1"
"""The version of the format; it changes when a reader of the old form would misread the new one."""
WINDTUNNEL = "windtunnel"
"""The author of state changes that no person made."""


class AlertSubject(StrEnum):
    """What an alert is about: cases that changed, a whole machine, or the measurements themselves."""

    CHANGE = "change"
    MACHINE_SHIFT = "machine_shift"
    HEALTH = "health"


class AlertState(StrEnum):
    """The state of an alert; docs/how-to/alerts.md shows the transitions."""

    RAISED = "raised"
    UPDATED = "updated"
    ACKNOWLEDGED = "acknowledged"
    MUTED = "muted"
    EXPECTED = "expected"
    RESOLVED = "resolved"


OPEN = frozenset({AlertState.RAISED, AlertState.UPDATED, AlertState.ACKNOWLEDGED, AlertState.MUTED})
"""States of alerts that are not over."""


class AlertedCase(MeasuredCase, frozen=True, kw_only=True):
    """One case of an alert."""

    kind: ChangeKind
    """A step, a creep, or a change of shares."""
    unit: str | None
    """The benchmark's unit."""
    before: float
    """The level before the change."""
    after: float
    """The level after the change."""
    relative_change: float | None
    """after / before - 1; null where *before* is not above zero."""
    direction: Direction
    """Worse or better."""
    status: ChangeStatus
    """Whether the new level still holds."""
    resolved: bool
    """Whether today's level is no worse than *before*, or the case was removed."""
    shares: LevelShares | None = None
    """The levels and their shares where *kind* is share; *before* and *after* are means then."""
    python: str = ""
    """The Python of the environment, as asv names it; empty where it is not known."""


class AlertedShift(msgspec.Struct, frozen=True, kw_only=True):
    """A machine shift, as an alert keeps it."""

    machine: MachineName
    """The machine."""
    relative_change: float
    """The relative change of the median case."""
    direction: Direction
    """Worse or better."""
    shifted_cases: Count
    """How many cases changed by nearly the same factor."""
    total_cases: Count
    """How many cases were measured before and after."""


class HealthIssue(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong with the measurements."""

    check: str
    """The check that found it: stale, vanished, coverage or alarms."""
    name: str
    """What it is about, such as a Python."""
    message: str
    """What is wrong."""


class StateChange(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of an alert's history."""

    state: AlertState
    """The new state."""
    author: str
    """Who changed it: a person's name, or windtunnel."""
    reason: str
    """Why; may be empty."""
    time: str
    """When, in UTC (ISO 8601)."""


class AlertBisection(msgspec.Struct, frozen=True, kw_only=True):
    """The search for the commit of an alert."""

    good: str
    """The good commit of the search; with ``^``, the parent of this one."""
    bad: str
    """The bad commit of the search."""
    attempts: Count = 0
    """How many times the search was started."""
    answer: BisectionAnswer = BisectionAnswer.UNFINISHED
    """What it found; *unfinished* while it runs, and where it did not end."""
    decided_by: DecidedBy = "time"
    """What the answer is decided from."""
    case: str = ""
    """The measured case."""
    before: str = ""
    """The last commit that certainly precedes the change; empty without an answer."""
    after: str = ""
    """The first commit that certainly contains the change; the commit itself if it follows *before*."""
    range_size: Count = 0
    """How many commits, or packages, the answer leaves: 1 for one."""
    subject: str = ""
    """The first line of the message of *after*, from git."""
    packages: tuple[str, ...] = ()
    """The packages that the answer leaves, and how each moved; empty where commits are the answer."""
    alone_shows: bool | None = None
    """Whether the package changes the case also without others that moved; null if that is unknown."""
    relative_change: float | None = None
    """Bad commit against good commit, by what decided."""
    error: float = 0.0
    """The probability that an answer decided from time is wrong, at most."""
    functions: tuple[str, ...] = ()
    """The functions whose work changed with the commit, in words."""
    reason: str = ""
    """Why the answer is missing."""


class BisectionUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What bisections of alerts have used."""

    day: str = ""
    """The day in UTC (ISO 8601)."""
    minutes: Count = 0
    """The runner-minutes that were granted on that day."""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """One alert. Depending on its subject it has cases, a machine shift, or a health issue."""

    id: str
    """12 hexadecimal digits; never changes."""
    subject: AlertSubject
    """What the alert is about."""
    state: AlertState
    """Its state."""
    muted_until: str | None
    """When a mute ends (ISO 8601); null where the alert is not muted."""
    location: CandidateCommits | None
    """The commits at which the change may lie; null for health."""
    cases: tuple[AlertedCase, ...]
    """The cases that changed; empty for other subjects."""
    machine_shift: AlertedShift | None
    """The shift of a machine; null for other subjects."""
    health_issue: HealthIssue | None
    """What is wrong with the measurements; null for other subjects."""
    missed_observations: Count
    """How many observations of newer results in a row no longer showed the change."""
    history: tuple[StateChange, ...]
    """Its state changes, oldest first."""
    plot_window: PlotWindow | None = None
    """The values of one of its cases, or of the median case of a machine, at the last update."""
    bisection: AlertBisection | None = None
    """The search for its commit; null before the first one."""


class ResultsExtent(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """How far the results reach that an observation covers."""

    newest_result: int = 0
    """When the newest result was started, in milliseconds since 1970."""
    commits: Count = 0
    """How many commits have results."""


class Alerts(msgspec.Struct, frozen=True, kw_only=True):
    """All alerts that were ever raised."""

    schema: str = SCHEMA
    """The version of the format: windtunnel.alerts/1."""
    observed: ResultsExtent = ResultsExtent()
    """The widest extent that was observed."""
    bisected: BisectionUsage = BisectionUsage()
    """What bisections have used today."""
    alerts: tuple[Alert, ...] = ()
    """The alerts, oldest first."""


class ExistingIssue(msgspec.Struct, frozen=True, kw_only=True):
    """An issue as it is at GitHub."""

    number: int
    """The issue's number in its repository."""
    body: str
    """The issue's text."""
    is_open: bool
    """Whether the issue is open."""


class OpenIssue(msgspec.Struct, frozen=True, kw_only=True):
    """Open an issue for an alert."""

    alert: str
    """The alert's id."""
    title: str
    """The title."""
    body: str
    """The text, in Markdown."""


class UpdateIssue(msgspec.Struct, frozen=True, kw_only=True):
    """Replace an issue's title and text."""

    number: int
    """The issue's number."""
    title: str
    """The new title."""
    body: str
    """The new text, in Markdown."""


class CloseIssue(msgspec.Struct, frozen=True, kw_only=True):
    """Close an issue."""

    number: int
    """The issue's number."""
    completed: bool
    """Whether the issue counts as completed, or as not planned."""


class ReopenIssue(msgspec.Struct, frozen=True, kw_only=True):
    """Reopen an issue that Windtunnel closed."""

    number: int
    """The issue's number."""


IssueChange = OpenIssue | UpdateIssue | CloseIssue | ReopenIssue
"""One thing to do at GitHub."""


def _problems(alerts: Alerts) -> Iterator[str]:
    """Yield each id that several alerts have."""
    ids = Counter(alert.id for alert in alerts.alerts)
    yield from (f"the alert {name[:80]!r} is listed twice" for name, count in ids.items() if count > 1)


ALERTS_FORMAT = Format(
    name="alerts.json",
    type=Alerts,
    schema=SCHEMA,
    remedy="restore an earlier version of it from the results branch",
    check=_problems,
)
