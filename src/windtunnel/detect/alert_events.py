"""The events of one observation in one form, and which alert each belongs to: the same case, direction and commits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from windtunnel.detect import alert_format
from windtunnel.detect.format import (
    CandidateCommits,
    Change,
    DetectedChanges,
    MachineShift,
    MeasuredCase,
    MovedBuild,
    location_of,
    part_of,
)

MAX_REMAINDER = 0.1
"""Share of a change that may remain when it counts as resolved; two estimates of one level are never equal."""


AlertContent = Change | MachineShift | alert_format.HealthIssue
"""What an alert is about."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What was found in the results at one time."""

    changes: DetectedChanges
    time: str
    """When, in UTC (ISO 8601)."""
    health_issues: tuple[alert_format.HealthIssue, ...] | None = None
    """What is wrong with the measurements; None where this was not checked."""

    @property
    def extent(self) -> alert_format.ResultsExtent:
        """How far the results reach."""
        return alert_format.ResultsExtent(newest_result=self.changes.newest_result, commits=self.changes.commits)


def build_events(observation: Observation) -> tuple[DetectedEvent, ...]:
    """Return the events of *observation*, in its order."""
    found = observation.changes
    events = (
        *_change_events(found),
        *(_shift_event(index, found.machine_shifts) for index in range(len(found.machine_shifts))),
        *map(_health_event, observation.health_issues or ()),
    )
    return tuple(event for event in events if event.items)


def content_key(content: AlertContent) -> tuple[str, ...]:
    """Return what identifies *content*, apart from its location; all versions of a benchmark count as one."""
    match content:
        case Change():
            where = (content.environment, content.machine)
            return "change", content.kind, content.direction, content.benchmark, *where, *content.params
        case MachineShift():
            return "machine_shift", content.direction, content.machine
        case alert_format.HealthIssue():
            return "health", content.check, content.name


def contents_of(alert: alert_format.Alert) -> Iterator[AlertContent]:
    """Yield what *alert* is about."""
    yield from alert.cases
    if alert.machine_shift is not None:
        yield alert.machine_shift
    if alert.health_issue is not None:
        yield alert.health_issue


def _change_events(found: DetectedChanges) -> Iterator[DetectedEvent]:
    today = {part_of(change, MeasuredCase): change.after for change in found.changes if change.status != "removed"}
    members: dict[str, list[Change]] = {}
    for change in found.changes:
        members.setdefault(change.event, []).append(change)
    for event in found.events:
        yield DetectedEvent(
            name=event.id,
            location=part_of(event, CandidateCommits),
            items=tuple(_change_item(change, found, event.moved, today) for change in members.get(event.id, ())),
        )


def _change_item(
    change: Change, found: DetectedChanges, moved: MovedBuild, today: Mapping[MeasuredCase, float]
) -> DetectedItem:
    resolved = _is_resolved(change, today.get(part_of(change, MeasuredCase), change.after))
    status = "recovered" if resolved and change.status != "removed" else change.status
    case = replace(change, status=status, first_candidate=0)
    location = replace(location_of(change, found), moved=moved)
    return DetectedItem(content=case, location=location, resolved=resolved)


def _is_resolved(change: Change, today: float) -> bool:
    """Return whether the change is undone, by its status or because later levels lead back."""
    if change.status in {"recovered", "removed"}:
        return True
    size = change.after - change.before
    return change.status == "superseded" and size != 0 and (today - change.before) / size <= MAX_REMAINDER


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
    bare = replace(shift, candidates=(), explained_cases=())
    item = DetectedItem(content=bare, location=location, resolved=resolved)
    return DetectedEvent(name=shift.id, location=location, items=(item,))


def _health_event(issue: alert_format.HealthIssue) -> DetectedEvent:
    item = DetectedItem(content=issue, location=None, resolved=False)
    return DetectedEvent(name=f"{issue.check}\0{issue.name}", location=None, items=(item,))


Similarity = tuple[int, int, int]
"""How well two locations fit; a larger one is better."""
NO_OVERLAP: Similarity = (0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertMatches:
    """Which items of an observation belong to which alert."""

    known: dict[int, list[tuple[DetectedEvent, DetectedItem]]] = field(default_factory=dict)
    """The items of each alert, by the alert's index."""
    new: list[tuple[DetectedEvent, tuple[DetectedItem, ...]]] = field(default_factory=list)
    """Items without an alert, with their event."""


def match_events(
    alerts: Sequence[alert_format.Alert], events: Sequence[DetectedEvent], *, comes_back: bool
) -> AlertMatches:
    """Return which items of *events* belong to which of *alerts*.

    The best fits are matched first. An unknown item of an event joins the alert that has most of the event's items. A
    change that was over and *comes_back* is new, unless a person accepted it.
    """
    owners = _owners(alerts, events)
    found = AlertMatches()
    for event_index, event in enumerate(events):
        owned = [owners.get((event_index, index)) for index in range(len(event.items))]
        host = _host(alerts, [owner for owner in owned if owner is not None])
        new = []
        for item, owner in zip(event.items, owned, strict=True):
            index = host if owner is None else owner
            may_come_back = comes_back and not item.resolved
            if index is None or (may_come_back and alerts[index].over and alerts[index].state != "accepted"):
                new.append(item)
            else:
                found.known.setdefault(index, []).append((event, item))
        if new:
            found.new.append((event, tuple(new)))
    return found


def _owners(alerts: Sequence[alert_format.Alert], events: Sequence[DetectedEvent]) -> dict[tuple[int, int], int]:
    """Return the alert's index for each known item, by the indices of event and item."""
    alerts_by_key: dict[tuple[str, ...], list[int]] = {}
    for index, alert in enumerate(alerts):
        for key in dict.fromkeys(map(content_key, contents_of(alert))):
            alerts_by_key.setdefault(key, []).append(index)
    pairs = [
        (_similarity(item.location, alerts[index]), index, (event_index, item_index))
        for event_index, event in enumerate(events)
        for item_index, item in enumerate(event.items)
        for index in alerts_by_key.get(content_key(item.content), ())
    ]
    owners: dict[tuple[int, int], int] = {}
    taken: set[tuple[int, tuple[str, ...]]] = set()
    for similarity, index, at in sorted(pairs, reverse=True):
        alert_item = (index, content_key(events[at[0]].items[at[1]].content))
        if similarity > NO_OVERLAP and at not in owners and alert_item not in taken:
            owners[at] = index
            taken.add(alert_item)
    return owners


def _similarity(location: CandidateCommits | None, alert: alert_format.Alert) -> Similarity:
    """Prefer the same commit, then more common candidates, then an open alert."""
    is_open = int(_is_active(alert))
    if location is None or alert.location is None:
        return (1, 0, is_open)
    common = len(_commits(location) & _commits(alert.location))
    return (int(location.commit == alert.location.commit), common, is_open) if common else NO_OVERLAP


def _commits(location: CandidateCommits) -> set[str]:
    return {location.previous_commit, *location.candidates}


def _host(alerts: Sequence[alert_format.Alert], owners: Sequence[int]) -> int | None:
    """Return the alert with most of an event's items, an open one before others; None where no item is known."""
    return max(dict.fromkeys(owners), key=lambda index: (_is_active(alerts[index]), owners.count(index)), default=None)


def _is_active(alert: alert_format.Alert) -> bool:
    return alert.state in {"open", "muted"}
