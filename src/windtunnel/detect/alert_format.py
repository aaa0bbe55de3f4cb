"""alerts.json: the types of the file (docs/alerts.md)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.detect.format import CandidateCommits, ChangeKind, ChangeStatus, Direction, MeasuredCase, PlotWindow
from windtunnel.formats import Format
from windtunnel.model.identity import MachineName

SCHEMA = "windtunnel.alerts/1"
"""Changes when a reader of the old form would misread the new one."""

WINDTUNNEL = "windtunnel"
"""Who speaks where no person does."""


class AlertSubject(StrEnum):
    """What an alert is about: cases that changed, nearly everything on a machine, or the measuring itself."""

    CHANGE = "change"
    COMMON_MODE = "common_mode"
    HEALTH = "health"


class AlertState(StrEnum):
    """Where an alert is in its life; docs/alerts.md draws it."""

    RAISED = "raised"
    UPDATED = "updated"
    ACKNOWLEDGED = "acknowledged"
    MUTED = "muted"
    EXPECTED = "expected"
    RESOLVED = "resolved"


OPEN = frozenset({AlertState.RAISED, AlertState.UPDATED, AlertState.ACKNOWLEDGED, AlertState.MUTED})
"""States that wait for something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertedCase(MeasuredCase):
    """One case of an alert; *fixed* when today's level is no worse than *before*, or the case is gone."""

    kind: ChangeKind
    unit: str | None
    before: float
    after: float
    relative_change: float | None
    direction: Direction
    status: ChangeStatus
    fixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertedShift:
    """A common mode: how far the middle of *total* cases of *machine* moved."""

    machine: MachineName
    relative_change: float
    direction: Direction
    cases: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthIssue:
    """What is wrong with the measuring: the *check* that found it, of what (*name*), in words."""

    check: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """One turn of an alert's life; *when* is UTC, ISO 8601."""

    state: AlertState
    who: str
    why: str
    when: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One thing that people are told about; its *id* never changes. By *subject*, one of the last fields is set.

    *until* (ISO 8601) is when a mute ends. *missing* counts the newer observations that no longer showed it. *course*
    is that of a member, or of the middle case of a common mode, as it was when there was last news of it.
    """

    id: str
    subject: AlertSubject
    state: AlertState
    until: str | None
    where: CandidateCommits | None
    members: tuple[AlertedCase, ...]
    move: AlertedShift | None
    health_issue: HealthIssue | None
    missing: int
    history: tuple[StateChange, ...]
    course: PlotWindow | None = None


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ResultsExtent:
    """How far an observation reaches: the start of the newest result (milliseconds since 1970), commits measured."""

    newest_result: int = 0
    commits: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """Everything that was ever said, oldest first; *seen* is the widest extent that was looked at."""

    schema: str = SCHEMA
    seen: ResultsExtent = ResultsExtent()
    alerts: tuple[Alert, ...] = ()


def _problems(alerts: Alerts) -> Iterator[str]:
    """Yield each alert that is listed twice."""
    ids = Counter(alert.id for alert in alerts.alerts)
    yield from (f"the alert {name[:80]!r} is listed twice" for name, count in ids.items() if count > 1)


ALERTS_FORMAT = Format(
    name="alerts.json",
    type=Alerts,
    schema=SCHEMA,
    remedy="restore an earlier version of it from the results branch",
    check=_problems,
)
