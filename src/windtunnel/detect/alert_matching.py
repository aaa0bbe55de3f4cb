"""Which alert a thing belongs to that an observation shows: the same case, the same direction, overlapping places."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from windtunnel.detect.alert_format import OPEN, Alert, AlertState, AlertSubject
from windtunnel.detect.detected_events import DetectedEvent, DetectedItem, key_of
from windtunnel.detect.format import CandidateCommits


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertMatches:
    """What of an observation belongs to which alert, by the alert's place, and what belongs to none.

    *fresh* pairs each sighting that has such things with them; what goes with a known alert is in *known*.
    """

    known: dict[int, list[tuple[DetectedEvent, DetectedItem]]] = field(default_factory=dict)
    fresh: list[tuple[DetectedEvent, tuple[DetectedItem, ...]]] = field(default_factory=list)


def match_events(alerts: Sequence[Alert], sighted: Sequence[DetectedEvent]) -> AlertMatches:
    """Return what belongs where: what fits best is paired first, and a thing of an alert is only found once."""
    owners = _owners(alerts, sighted)
    found = AlertMatches()
    for at, sighting in enumerate(sighted):
        owned = [owners.get((at, nth)) for nth in range(len(sighting.things))]
        host = _host(alerts, [owner for owner in owned if owner is not None])
        strangers = []
        for thing, owner in zip(sighting.things, owned, strict=True):
            place = host if owner is None else owner
            if place is None or _is_news(alerts[place], thing):
                strangers.append(thing)
            else:
                found.known.setdefault(place, []).append((sighting, thing))
        if strangers:
            found.fresh.append((sighting, tuple(strangers)))
    return found


def _owners(alerts: Sequence[Alert], sighted: Sequence[DetectedEvent]) -> dict[tuple[int, int], int]:
    """Return the alert of each thing that one knows; both by their places."""
    index: dict[tuple[AlertSubject, tuple[str, ...]], list[int]] = {}
    for place, alert in enumerate(alerts):
        for key in dict.fromkeys(_keys(alert)):
            index.setdefault((alert.subject, key), []).append(place)
    pairs = [
        (_closeness(thing.where, alerts[place]), place, (at, nth))
        for at, sighting in enumerate(sighted)
        for nth, thing in enumerate(sighting.things)
        for place in index.get((thing.subject, thing.key), ())
    ]
    owners: dict[tuple[int, int], int] = {}
    taken: set[tuple[int, tuple[str, ...]]] = set()
    for closeness, place, thing_at in sorted(pairs, reverse=True):
        claim = (place, sighted[thing_at[0]].things[thing_at[1]].key)
        if closeness > (0, 0, 0) and thing_at not in owners and claim not in taken:
            owners[thing_at] = place
            taken.add(claim)
    return owners


def _closeness(where: CandidateCommits | None, alert: Alert) -> tuple[int, int, int]:
    """Return how well the places fit, comparable; (0, 0, 0) when they do not overlap."""
    still_open = int(alert.state in OPEN)
    if where is None or alert.where is None:
        return (1, 0, still_open)
    common = len({where.previous_commit, *where.candidates} & {alert.where.previous_commit, *alert.where.candidates})
    return (int(where.commit == alert.where.commit), common, still_open) if common else (0, 0, 0)


def _keys(alert: Alert) -> list[tuple[str, ...]]:
    if alert.move is not None:
        return [(str(alert.move.direction), alert.move.machine)]
    if alert.health_issue is not None:
        return [(alert.health_issue.check, alert.health_issue.name)]
    return [key_of(member) for member in alert.members]


def _host(alerts: Sequence[Alert], owners: Sequence[int]) -> int | None:
    """Return the alert that takes in what nobody knows of an event: the one that knows most of the rest."""
    return max(
        dict.fromkeys(owners), key=lambda place: (alerts[place].state in OPEN, owners.count(place)), default=None
    )


def _is_news(alert: Alert, thing: DetectedItem) -> bool:
    """Tell whether *thing* is a resolved change that came back; what was expected stays so."""
    return not thing.fixed and alert.state is AlertState.RESOLVED
