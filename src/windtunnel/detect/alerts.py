"""The life of alerts: what new results and people's decisions about issues do to them, and how issues must change.

docs/how-to/alerts.md has the rules. All functions are pure. alerts.json keeps the number of an alert's issue; a hidden
line in its text finds an issue whose number was not saved, because a run ended between both. A run that fails halfway
loses nothing: the next one compares again.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from msgspec.structs import replace

from windtunnel.detect import alert_events, alert_format
from windtunnel.detect.format import Change, MachineShift
from windtunnel.errors import UsageError

MIN_UPDATE = 0.1
"""Share by which a relative change must differ to update its alert; estimates differ a little with every commit."""
MAX_MISSED = 3
"""Observations of newer results without a change after which it is retracted; small changes come and go."""

OVER_WHEN_RAISED = "it was over when it was first detected"
LEVEL_RECOVERED = "the level is no worse than before"
RETRACTED = f"{MAX_MISSED} observations of newer results no longer show it"
HEALTHY = "the check passes again"

Match = tuple[alert_events.DetectedEvent, alert_events.DetectedItem]


MIN_DIGITS = 4
"""Digits that must be given of an id."""


def find_alert(alerts: alert_format.Alerts, prefix: str) -> alert_format.Alert:
    """Return the alert whose id begins with *prefix*; raises UsageError where there is not exactly one."""
    if len(prefix) < MIN_DIGITS:
        raise UsageError(f"{prefix!r} is too short for an alert's id; give at least {MIN_DIGITS} of its digits")
    found = [alert for alert in alerts.alerts if alert.id.startswith(prefix)]
    if len(found) != 1:
        what = "no alert has" if not found else f"{len(found)} alerts have"
        raise UsageError(f"{what} an id that begins with {prefix[:40]!r}; alerts.json and the issues show the ids")
    return found[0]


def update_alerts(alerts: alert_format.Alerts, observation: alert_events.Observation) -> alert_format.Alerts:
    """Return *alerts* after *observation*.

    The same observation again changes nothing. An observation of older results only adds alerts that are missing.
    """
    is_older = observation.extent < alerts.observed
    is_newer = observation.extent > alerts.observed
    events = tuple(
        event for event in alert_events.build_events(observation) if not is_older or event.location is not None
    )
    matches = alert_events.match_events(alerts.alerts, events, comes_back=not is_older)
    updated = alerts.alerts
    if not is_older:
        updated = tuple(
            _update(alert, matches.known[index], observation.time)
            if index in matches.known
            else _miss(alert, observation, is_newer=is_newer)
            for index, alert in enumerate(updated)
        )
    ids = {alert.id for alert in updated}
    raised: list[alert_format.Alert] = []
    for event, items in matches.new:
        raised.append(_raise_alert(event, items, observation.time, ids))
        ids.add(raised[-1].id)
    return replace(alerts, observed=max(alerts.observed, observation.extent), alerts=(*updated, *raised))


def state_of(alert: alert_format.Alert) -> alert_format.AlertState:
    """Return the state of *alert*: what a person decided about its issue, else what the results say."""
    issue = alert.issue
    if issue is not None and issue.state == "not_planned":
        return "accepted"
    if alert.over or (issue is not None and issue.state == "completed"):
        return "resolved"
    is_muted = issue is not None and (issue.muted or issue.state == "gone")
    return "muted" if is_muted else "open"


def _changed(alert: alert_format.Alert, time: str, **changes: Any) -> alert_format.Alert:
    """Return *alert* with *changes* and the state that follows from them."""
    changed = replace(alert, updated=time, **changes)
    return replace(changed, state=state_of(changed))


def _raise_alert(
    event: alert_events.DetectedEvent, items: Sequence[alert_events.DetectedItem], time: str, ids: AbstractSet[str]
) -> alert_format.Alert:
    resolved = all(item.resolved for item in items)
    content = items[0].content
    return alert_format.Alert(
        id=_new_id(alert_events.content_key(content)[0], event.name, ids),
        state="resolved" if resolved else "open",
        raised=time,
        updated=time,
        over=OVER_WHEN_RAISED if resolved else "",
        location=event.location,
        cases=_cases(items),
        machine_shift=content if isinstance(content, MachineShift) else None,
        health_issue=content if isinstance(content, alert_format.HealthIssue) else None,
    )


def _new_id(subject: str, name: str, ids: AbstractSet[str]) -> str:
    """Return the id of an event: always the same one, but another one when the event comes back."""
    occurrence = 0
    while True:
        content = f"alert\0{subject}\0{name}\0{occurrence}".encode("utf-8", "surrogatepass")
        found = hashlib.sha256(content).hexdigest()[:12]
        if found not in ids:
            return found
        occurrence += 1


def _update(alert: alert_format.Alert, matches: Sequence[Match], time: str) -> alert_format.Alert:
    """Return *alert* after an observation that shows it."""
    items = [item for _, item in matches]
    if alert.over:  # items that join it now are over as well
        return replace(alert, cases=_merge_cases(alert.cases, _cases(items)))
    updated = _with_news(alert, matches)
    updated = replace(updated, missed_observations=0, updated=alert.updated if updated is alert else time)
    is_over = all(item.resolved for item in items) and _may_end(alert)
    return _changed(updated, time, over=LEVEL_RECOVERED) if is_over else updated


def _may_end(alert: alert_format.Alert) -> bool:
    """Return whether the results may end *alert*: not what a person accepted or opened again."""
    return not alert.over and alert.state != "accepted" and not (alert.issue and alert.issue.reopened)


def _with_news(alert: alert_format.Alert, matches: Sequence[Match]) -> alert_format.Alert:
    """Return *alert* with what is new about it; *alert* itself where nothing is."""
    event, item = matches[0]
    if alert.cases:
        cases = _merge_cases(alert.cases, _cases([item for _, item in matches]))
        names = [event.name for event, _ in matches]
        location = max(matches, key=lambda match: names.count(match[0].name))[0].location  # of the most frequent event
        same = cases == alert.cases and location == alert.location
        return alert if same else replace(alert, cases=cases, location=location)
    if isinstance(item.content, MachineShift) and alert.machine_shift is not None:
        moved = _differs(alert.machine_shift.relative_change, item.content.relative_change)
        same = event.location == alert.location and not moved
        return alert if same else replace(alert, location=event.location, machine_shift=item.content)
    issue = item.content if isinstance(item.content, alert_format.HealthIssue) else None
    return alert if issue == alert.health_issue else replace(alert, health_issue=issue)


def _cases(items: Sequence[alert_events.DetectedItem]) -> tuple[Change, ...]:
    return tuple(item.content for item in items if isinstance(item.content, Change))


def _merge_cases(old: Sequence[Change], new: Sequence[Change]) -> tuple[Change, ...]:
    """Return the *old* cases with their new values, then the further ones of *new*."""
    found = {alert_events.content_key(case): case for case in new}
    kept = [_newer(case, found.pop(alert_events.content_key(case), case)) for case in old]
    return (*kept, *found.values())


def _newer(old: Change, new: Change) -> Change:
    """Return *new*, or *old* where they differ by no more than estimates do."""
    same = (old.status, old.version, old.unit) == (new.status, new.version, new.unit)
    return old if same and not _differs(old.relative_change, new.relative_change) else new


def _differs(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is not new
    return abs(new - old) > MIN_UPDATE * abs(old)


def _miss(alert: alert_format.Alert, observation: alert_events.Observation, *, is_newer: bool) -> alert_format.Alert:
    """Return *alert* after an observation that does not show it."""
    if not _may_end(alert):
        return alert
    if alert.health_issue is not None:
        checked = observation.health_issues is not None
        return _changed(alert, observation.time, over=HEALTHY) if checked else alert
    if not is_newer:
        return alert
    if alert.missed_observations + 1 < MAX_MISSED:
        return replace(alert, missed_observations=alert.missed_observations + 1)
    return _changed(alert, observation.time, over=RETRACTED)


HEADLINE = re.compile(r"^\*\*(?:Open|Muted|Accepted|Resolved)\*\*[.:]", re.MULTILINE)
"""The beginning of an issue's text; the marker is its end."""
MARKER = re.compile(r"<!-- windtunnel:alert key=([A-Za-z0-9_.-]+) id=([0-9a-f]{12}) -->")


def note_issues(
    alerts: alert_format.Alerts, key: str, issues: Sequence[alert_format.ExistingIssue], time: str
) -> alert_format.Alerts:
    """Return *alerts* of the suite *key* with what people did to their *issues* since these were read last."""
    by_number, by_alert = {one.number: one for one in issues}, _by_alert(key, issues)

    def noted(alert: alert_format.Alert) -> alert_format.Alert:
        before, marked = alert.issue, by_alert.get(alert.id, ())
        if before is None or before.state == "gone":  # one that was moved away may come back with another number
            found = next((one for one in marked if before is None or one.state == "open"), None)
        else:
            found = by_number.get(before.number)
        if found is None:
            return alert
        was_closed = before is not None and (before.reopened or before.state != "open")
        now = alert_format.AlertIssue(
            number=found.number,
            state=found.state,
            muted=found.muted,
            person=found.person,
            reopened=found.state == "open" and (was_closed or found.reopened),
        )
        changed = replace(alert, issue=now, over="" if now.reopened else alert.over)
        state = state_of(changed)
        return replace(changed, state=state, updated=alert.updated if state == alert.state else time)

    return replace(alerts, alerts=tuple(map(noted, alerts.alerts)))


def decide_issue_changes(
    alerts: Sequence[alert_format.Alert],
    key: str,
    issues: Sequence[alert_format.ExistingIssue],
    texts: Mapping[str, tuple[str, str]],
) -> tuple[alert_format.IssueChange, ...]:
    """Return what to change so that the *issues* of the suite *key* show the *alerts*; *texts* are by alert.

    Where two runs opened two issues for one alert at the same time, the one that is noted stays open, and so does one
    that a person opened again.
    """
    by_number = {one.number: one for one in issues}
    own = {alert.issue.number for alert in alerts if alert.issue}
    known = {alert.id for alert in alerts}
    found = _by_alert(key, issues)
    changes: list[alert_format.IssueChange] = [
        alert_format.CloseIssue(number=one.number, completed=False)
        for name, several in found.items()
        for one in several
        if name in known and one.number not in own and one.state == "open" and not one.reopened
    ]
    for alert in alerts:
        if alert.id in texts:
            changes += _changes_of(alert, by_number.get(alert.issue.number) if alert.issue else None, *texts[alert.id])
    return tuple(changes)


def _by_alert(key: str, issues: Sequence[alert_format.ExistingIssue]) -> dict[str, list[alert_format.ExistingIssue]]:
    """Return the issues with a hidden line, by their alert, the oldest first."""
    found: dict[str, list[alert_format.ExistingIssue]] = {}
    for issue in sorted(issues, key=lambda issue: issue.number):
        marker = MARKER.search(issue.body)
        if marker and marker[1] == key:
            found.setdefault(marker[2], []).append(issue)
    return found


def _changes_of(
    alert: alert_format.Alert, existing: alert_format.ExistingIssue | None, title: str, body: str
) -> Iterator[alert_format.IssueChange]:
    if alert.issue is None:
        if alert.state == "open":
            yield alert_format.OpenIssue(alert=alert.id, title=title, body=body)
        return
    if existing is None or existing.state != "open" or alert.state == "muted":
        return
    text = existing.body.replace("\r\n", "\n")
    marker = MARKER.search(text)
    start = HEADLINE.search(text, 0, marker.start()) if marker else None
    begin = start.start() if start else 0
    if marker and text[begin : marker.end()] != body.rstrip():  # what a person wrote around it stays
        whole = f"{text[:begin]}{body.rstrip()}{text[marker.end() :]}"
        yield alert_format.UpdateIssue(number=existing.number, title=title, body=whole)
    if alert.over and marker:  # a forged file closes no other issue
        yield alert_format.CloseIssue(number=existing.number, completed=True)
