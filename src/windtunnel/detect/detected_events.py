"""Events as alerts track them: changes, machine shifts and health issues of one observation in one form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.detect.alert_format import AlertedCase, AlertedShift, AlertSubject, HealthIssue, ResultsExtent
from windtunnel.detect.format import (
    CandidateCommits,
    Change,
    ChangeStatus,
    DetectedChanges,
    MachineShift,
    MeasuredCase,
    PlotWindow,
    location_of,
    part_of,
)

MAX_REMAINDER = 0.1
"""Share of a change that may remain when it counts as resolved; two estimates of one level are never equal."""


AlertContent = AlertedCase | AlertedShift | HealthIssue
"""What an alert is about; its type determines the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedItem:
    """One thing that an alert can track."""

    content: AlertContent
    location: CandidateCommits | None
    """Where it lies; None for health."""
    resolved: bool
    """Whether it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedEvent:
    """Items with one cause."""

    name: str
    """The detector's name for it."""
    location: CandidateCommits | None
    """Where it lies; None for health."""
    items: tuple[DetectedItem, ...]
    plot_window: PlotWindow | None = None
    """The values of the item with the largest regression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What was found in the results at one time."""

    changes: DetectedChanges
    time: str
    """When, in UTC (ISO 8601)."""
    health_issues: tuple[HealthIssue, ...] | None = None
    """What is wrong with the measurements; None where this was not checked."""

    @property
    def extent(self) -> ResultsExtent:
        """How far the results reach."""
        return ResultsExtent(newest_result=self.changes.newest_result, commits=self.changes.commits)


def build_events(observation: Observation) -> tuple[DetectedEvent, ...]:
    """Return the events of *observation*, in its order."""
    found = observation.changes
    events = (
        *_change_events(found),
        *(_shift_event(index, found.machine_shifts) for index in range(len(found.machine_shifts))),
        *map(_health_event, observation.health_issues or ()),
    )
    return tuple(event for event in events if event.items)


def subject_of(content: AlertContent) -> AlertSubject:
    """Return the subject of an alert with *content*."""
    match content:
        case AlertedCase():
            return AlertSubject.CHANGE
        case AlertedShift():
            return AlertSubject.MACHINE_SHIFT
        case HealthIssue():
            return AlertSubject.HEALTH


def content_key(content: AlertContent) -> tuple[str, ...]:
    """Return what identifies *content*, apart from its location; all versions of a benchmark count as one."""
    subject = subject_of(content)
    match content:
        case AlertedCase():
            where = (content.environment, content.machine)
            return subject, content.kind, content.direction, content.benchmark, *where, *content.params
        case AlertedShift():
            return subject, content.direction, content.machine
        case HealthIssue():
            return subject, content.check, content.name


def _change_events(found: DetectedChanges) -> Iterator[DetectedEvent]:
    today = {
        part_of(change, MeasuredCase): change.after
        for change in found.changes
        if change.status is not ChangeStatus.REMOVED
    }
    members: dict[str, list[Change]] = {}
    for change in found.changes:
        members.setdefault(change.event, []).append(change)
    for event in found.events:
        yield DetectedEvent(
            name=event.id,
            location=part_of(event, CandidateCommits),
            items=tuple(_change_item(change, found, today) for change in members.get(event.id, ())),
            plot_window=event.plot_window,
        )


def _change_item(change: Change, found: DetectedChanges, today: Mapping[MeasuredCase, float]) -> DetectedItem:
    resolved = _is_resolved(change, today.get(part_of(change, MeasuredCase), change.after))
    case = part_of(change, AlertedCase, resolved=resolved)
    return DetectedItem(content=case, location=location_of(change, found), resolved=resolved)


def _is_resolved(change: Change, today: float) -> bool:
    """Return whether the change is undone, by its status or because later levels lead back."""
    if change.status in {ChangeStatus.RECOVERED, ChangeStatus.REMOVED}:
        return True
    size = change.after - change.before
    return change.status is ChangeStatus.SUPERSEDED and size != 0 and (today - change.before) / size <= MAX_REMAINDER


def _shift_event(index: int, shifts: Sequence[MachineShift]) -> DetectedEvent:
    """Return the event of the shift at *index*; later shifts of its machine may undo it."""
    shift = shifts[index]
    level = 1.0
    for later in shifts[index:]:
        if later.machine == shift.machine:
            level *= 1 + later.relative_change
    remainder = (level - 1) / shift.relative_change if shift.relative_change else 0.0
    location = part_of(shift, CandidateCommits)
    resolved = remainder <= MAX_REMAINDER
    item = DetectedItem(content=part_of(shift, AlertedShift), location=location, resolved=resolved)
    return DetectedEvent(name=shift.id, location=location, items=(item,), plot_window=shift.plot_window)


def _health_event(issue: HealthIssue) -> DetectedEvent:
    item = DetectedItem(content=issue, location=None, resolved=False)
    return DetectedEvent(name=f"{issue.check}\0{issue.name}", location=None, items=(item,))
