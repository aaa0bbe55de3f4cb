"""Matches detected items to alerts: the same case, the same direction, overlapping commits."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from windtunnel.detect.alert_format import OPEN, Alert, AlertState
from windtunnel.detect.detected_events import DetectedEvent, DetectedItem, content_key
from windtunnel.detect.format import CandidateCommits

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


def match_events(alerts: Sequence[Alert], events: Sequence[DetectedEvent]) -> AlertMatches:
    """Return which items of *events* belong to which of *alerts*.

    The best fits are matched first. An unknown item of an event joins the alert that has most of the event's items. A
    resolved change that came back is new.
    """
    owners = _owners(alerts, events)
    found = AlertMatches()
    for event_index, event in enumerate(events):
        owned = [owners.get((event_index, index)) for index in range(len(event.items))]
        host = _host(alerts, [owner for owner in owned if owner is not None])
        new = []
        for item, owner in zip(event.items, owned, strict=True):
            index = host if owner is None else owner
            if index is None or (alerts[index].state is AlertState.RESOLVED and not item.resolved):
                new.append(item)
            else:
                found.known.setdefault(index, []).append((event, item))
        if new:
            found.new.append((event, tuple(new)))
    return found


def _owners(alerts: Sequence[Alert], events: Sequence[DetectedEvent]) -> dict[tuple[int, int], int]:
    """Return the alert's index for each known item, by the indices of event and item."""
    alerts_by_key: dict[tuple[str, ...], list[int]] = {}
    for index, alert in enumerate(alerts):
        contents = (*alert.cases, alert.machine_shift, alert.health_issue)
        for key in dict.fromkeys(content_key(content) for content in contents if content is not None):
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


def _similarity(location: CandidateCommits | None, alert: Alert) -> Similarity:
    """Prefer the same commit, then more common candidates, then an open alert."""
    is_open = int(alert.state in OPEN)
    if location is None or alert.location is None:
        return (1, 0, is_open)
    common = len(_commits(location) & _commits(alert.location))
    return (int(location.commit == alert.location.commit), common, is_open) if common else NO_OVERLAP


def _commits(location: CandidateCommits) -> set[str]:
    return {location.previous_commit, *location.candidates}


def _host(alerts: Sequence[Alert], owners: Sequence[int]) -> int | None:
    """Return the alert with most of an event's items, an open one before others; None where no item is known."""
    return max(
        dict.fromkeys(owners), key=lambda index: (alerts[index].state in OPEN, owners.count(index)), default=None
    )
