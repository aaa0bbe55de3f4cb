"""The life of alerts as a pure step: what was said, and what was found since, give what is to be said."""

import hashlib
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from windtunnel.detect.alert_format import (
    OPEN,
    WINDTUNNEL,
    Alert,
    AlertedCase,
    Alerts,
    AlertState,
    AlertSubject,
    StateChange,
)
from windtunnel.detect.alert_matching import match_events
from windtunnel.detect.alert_plot_window import course_for
from windtunnel.detect.detected_events import DetectedEvent, DetectedItem, Observation, build_events, key_of
from windtunnel.detect.format import CandidateCommits

NEWS = 0.1
"""Share of a relative change by which it must move to be worth saying again: estimates move with every new commit."""
MOST_MISSING = 3
"""Observations of new data that no longer show a change before it is taken back: one near the limit comes and goes."""

OVER_AT_ONCE = "it was over when it was first seen"
FIXED = "the level is no worse than before"
GONE = f"{MOST_MISSING} looks at newer results no longer show it"
MENDED = "it is in order again"
MUTE_ENDED = "the mute has ended"


def update_alerts(alerts: Alerts, seen: Observation) -> Alerts:
    """Return *alerts* after *seen*; the same again changes nothing, what is older only adds what nobody knew."""
    stale = seen.extent < alerts.seen
    newer = alerts.seen < seen.extent
    sighted = tuple(one for one in build_events(seen) if not stale or one.where is not None)
    found = match_events(tuple(map(_final, alerts.alerts)) if stale else alerts.alerts, sighted)
    kept = alerts.alerts
    if not stale:
        kept = tuple(
            _continued(alert, found.known[place], seen.when)
            if place in found.known
            else _missed(alert, seen, newer=newer)
            for place, alert in enumerate(kept)
        )
    taken = {alert.id for alert in kept}
    raised: list[Alert] = []
    for sighting, things in found.fresh:
        raised.append(_raised(sighting, things, seen.when, taken))
        taken.add(raised[-1].id)
    return replace(alerts, seen=max(alerts.seen, seen.extent), alerts=(*kept, *raised))


def _final(alert: Alert) -> Alert:
    """Return *alert* as nothing can bring it back: what old data show of it is no news."""
    return replace(alert, state=AlertState.EXPECTED) if alert.state is AlertState.RESOLVED else alert


def _raised(sighting: DetectedEvent, things: Sequence[DetectedItem], when: str, taken: AbstractSet[str]) -> Alert:
    over = all(thing.fixed for thing in things)
    state, why = (AlertState.RESOLVED, OVER_AT_ONCE) if over else (AlertState.RAISED, "")
    alert = Alert(
        id=_new_id(things[0].subject, sighting.name, taken),
        subject=things[0].subject,
        state=state,
        until=None,
        where=sighting.where,
        members=tuple(thing.member for thing in things if thing.member is not None),
        move=things[0].move,
        health_issue=things[0].health_issue,
        missing=0,
        history=(StateChange(state=state, who=WINDTUNNEL, why=why, when=when),),
    )
    return replace(alert, course=course_for(alert, (sighting,), is_news=True))


def _new_id(subject: AlertSubject, name: str, taken: AbstractSet[str]) -> str:
    """Return an id that the same event always gets; when it comes back, another one."""
    turn = 0
    while True:
        content = f"alert\0{subject}\0{name}\0{turn}".encode("utf-8", "surrogatepass")
        found = hashlib.sha256(content).hexdigest()[:12]
        if found not in taken:
            return found
        turn += 1


def _continued(alert: Alert, things: Iterable[tuple[DetectedEvent, DetectedItem]], when: str) -> Alert:
    """Return *alert* after it was seen again."""
    things = tuple(things)
    if alert.state is AlertState.RESOLVED:  # what joins it now is over as well
        return replace(alert, members=_members(alert.members, [t.member for _, t in things if t.member is not None]))
    renewed = _renewed(alert, things)
    told, over = renewed is not alert, all(thing.fixed for _, thing in things)
    if alert.state is AlertState.EXPECTED:
        return replace(renewed, missing=0)
    course = course_for(renewed, (sighting for sighting, _ in things), is_news=told or over)
    renewed = replace(renewed, missing=0, course=course)
    if over:
        return change_state(
            renewed, AlertState.RESOLVED, StateChange(state=AlertState.RESOLVED, who=WINDTUNNEL, why=FIXED, when=when)
        )
    if alert.state is AlertState.MUTED and (alert.until or "") <= when:
        return change_state(
            renewed,
            AlertState.UPDATED,
            StateChange(state=AlertState.UPDATED, who=WINDTUNNEL, why=MUTE_ENDED, when=when),
        )
    if told and alert.state in {AlertState.RAISED, AlertState.UPDATED}:
        return change_state(
            renewed, AlertState.UPDATED, StateChange(state=AlertState.UPDATED, who=WINDTUNNEL, why="", when=when)
        )
    return renewed


def _renewed(alert: Alert, things: Sequence[tuple[DetectedEvent, DetectedItem]]) -> Alert:
    """Return *alert* with what is news about it; itself where nothing is."""
    if alert.members:
        members = _members(alert.members, [thing.member for _, thing in things if thing.member is not None])
        where = _where(things)
        same = members == alert.members and where == alert.where
        return alert if same else replace(alert, members=members, where=where)
    sighting, thing = things[0]
    if thing.move is not None and alert.move is not None:
        moved = _is_far(alert.move.relative_change, thing.move.relative_change)
        same = sighting.where == alert.where and not moved
        return alert if same else replace(alert, where=sighting.where, move=thing.move)
    return alert if thing.health_issue == alert.health_issue else replace(alert, health_issue=thing.health_issue)


def _where(things: Sequence[tuple[DetectedEvent, DetectedItem]]) -> CandidateCommits | None:
    """Return the place of the event that most of *things* belong to."""
    events = [sighting.name for sighting, _ in things]
    most = max(dict.fromkeys(events), key=events.count)
    return next(sighting.where for sighting, _ in things if sighting.name == most)


def _members(before: Sequence[AlertedCase], now: Sequence[AlertedCase]) -> tuple[AlertedCase, ...]:
    """Return the members, those of old first; one that says nothing new stays as it was."""
    found = {key_of(member): member for member in now}
    kept = [_newer(member, found.pop(key_of(member), member)) for member in before]
    return (*kept, *found.values())


def _newer(old: AlertedCase, new: AlertedCase) -> AlertedCase:
    quiet = replace(new, before=old.before, after=old.after, relative_change=old.relative_change)
    return old if quiet == old and not _is_far(old.relative_change, new.relative_change) else new


def _is_far(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is not new
    return abs(new - old) > NEWS * abs(old)


def _missed(alert: Alert, seen: Observation, *, newer: bool) -> Alert:
    """Return *alert* after an observation without it."""
    if alert.state not in OPEN or (alert.subject is AlertSubject.HEALTH and seen.health_issues is None):
        return alert
    if alert.subject is not AlertSubject.HEALTH and alert.missing + 1 < MOST_MISSING:
        return replace(alert, missing=alert.missing + newer)
    if alert.subject is not AlertSubject.HEALTH and not newer:
        return alert
    why = MENDED if alert.subject is AlertSubject.HEALTH else GONE
    return change_state(
        alert, AlertState.RESOLVED, StateChange(state=AlertState.RESOLVED, who=WINDTUNNEL, why=why, when=seen.when)
    )


def change_state(alert: Alert, state: AlertState, note: StateChange) -> Alert:
    """Return *alert* in another *state*, which *note* explains; what a mute says of its end goes with the mute."""
    until = alert.until if state is AlertState.MUTED else None
    return replace(alert, state=state, until=until, history=(*alert.history, note))
