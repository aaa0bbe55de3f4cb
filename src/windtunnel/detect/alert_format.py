"""The types of alerts.json and of the changes that alerts need at GitHub."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

import msgspec

from windtunnel.compare.bisect_format import BisectionAnswer, DecidedBy
from windtunnel.detect.format import CandidateCommits, Change, Count, MachineShift
from windtunnel.formats import Format

SCHEMA = "windtunnel.alerts/1"
"""The version of the format; it changes when a reader of the old form would misread the new one."""


AlertState = Literal["open", "muted", "accepted", "resolved"]
"""The state of an alert; docs/how-to/alerts.md has the rules."""
IssueState = Literal["open", "completed", "not_planned", "gone"]
"""The state of an alert's issue; *gone* if it was deleted or moved to another repository."""


class HealthIssue(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong with the measurements."""

    check: str
    """The check that found it: stale, vanished, coverage or alarms."""
    name: str
    """What it is about, such as a Python."""
    message: str
    """What is wrong."""


class AlertIssue(msgspec.Struct, frozen=True, kw_only=True):
    """The issue of an alert, as it was last read."""

    number: Count
    """The issue's number in its repository."""
    state: IssueState = "open"
    """Whether it is open, and else as what it was closed."""
    muted: bool = False
    """Whether it has the label *muted*."""
    person: str = ""
    """Who closed it, where GitHub names the person."""
    reopened: bool = False
    """Whether a person opened it again; then only a person closes it."""


class AlertBisection(msgspec.Struct, frozen=True, kw_only=True):
    """The search for the commit of an alert."""

    good: str
    """The good commit of the search; with ``^``, the parent of this one."""
    bad: str
    """The bad commit of the search."""
    attempts: Count = 0
    """How many times the search was started."""
    answer: BisectionAnswer = "unfinished"
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
    """One alert: cases that changed, a machine shift, or a health issue."""

    id: str
    """12 hexadecimal digits; never changes."""
    state: AlertState
    """Its state: what its issue says, else what the results say."""
    raised: str
    """When it was detected, in UTC (ISO 8601)."""
    updated: str
    """When it, or what is known about it, changed last, in UTC (ISO 8601)."""
    over: str = ""
    """Why the results no longer show it; empty while they do."""
    issue: AlertIssue | None = None
    """Its issue; null where it has none."""
    location: CandidateCommits | None
    """The commits at which the change may lie; null for health."""
    cases: tuple[Change, ...] = ()
    """The cases that changed; *recovered* also where later changes led back."""
    machine_shift: MachineShift | None = None
    """The shift of a machine, without candidates and explained cases."""
    health_issue: HealthIssue | None = None
    """What is wrong with the measurements."""
    missed_observations: Count = 0
    """How many observations of newer results in a row no longer showed the change."""
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


class ExistingIssue(AlertIssue, frozen=True, kw_only=True):
    """An issue as GitHub has it now."""

    body: str = ""
    """The issue's text."""


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


IssueChange = OpenIssue | UpdateIssue | CloseIssue
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
