"""What the issues of alerts say, and how they must change; docs/how-to/alerts.md has the rules. All functions are pure.

alerts.json keeps the number of an alert's issue. A hidden line in its text finds an issue whose number was not saved,
because a run ended between both. A run that fails halfway loses nothing: the next one compares again.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from windtunnel.detect.alert_format import (
    Alert,
    AlertIssue,
    Alerts,
    AlertState,
    CloseIssue,
    ExistingIssue,
    IssueChange,
    IssueState,
    OpenIssue,
    UpdateIssue,
)
from windtunnel.detect.alert_text import CommitInfo, TextOptions, is_actionable, render_text, render_title
from windtunnel.detect.alerts import state_of

MARKER = re.compile(r"<!-- windtunnel:alert key=([A-Za-z0-9_.-]+) id=([0-9a-f]{12}) -->")


def note_issues(alerts: Alerts, key: str, issues: Sequence[ExistingIssue], time: str) -> Alerts:
    """Return *alerts* of the suite *key* with what people did to their *issues* since these were read last."""
    by_number, by_alert = {one.number: one for one in issues}, _by_alert(key, issues)

    def noted(alert: Alert) -> Alert:
        before = alert.issue
        found = by_number.get(before.number) if before else next(iter(by_alert.get(alert.id, ())), None)
        if found is None:
            return alert
        was_closed = before is not None and (before.reopened or before.state is not IssueState.OPEN)
        now = AlertIssue(
            number=found.number,
            state=found.state,
            muted=found.muted,
            person=found.person,
            reopened=found.state is IssueState.OPEN and was_closed,
        )
        changed = replace(alert, issue=now, over="" if now.reopened else alert.over)
        state = state_of(changed)
        return replace(changed, state=state, updated=alert.updated if state is alert.state else time)

    return replace(alerts, alerts=tuple(map(noted, alerts.alerts)))


def decide_issue_changes(
    alerts: Sequence[Alert],
    key: str,
    issues: Sequence[ExistingIssue],
    texts: Mapping[str, tuple[str, str]],
) -> tuple[IssueChange, ...]:
    """Return what to change so that the *issues* of the suite *key* show the *alerts*; *texts* are by alert.

    Where two runs opened two issues for one alert at the same time, the one that is noted stays open.
    """
    by_number = {one.number: one for one in issues}
    own = {alert.issue.number for alert in alerts if alert.issue}
    known = {alert.id for alert in alerts}
    found = _by_alert(key, issues)
    changes: list[IssueChange] = [
        CloseIssue(number=one.number, completed=False)
        for name, several in found.items()
        for one in several
        if name in known and one.number not in own and one.state is IssueState.OPEN
    ]
    for alert in alerts:
        if alert.id in texts:
            changes += _changes_of(alert, by_number.get(alert.issue.number) if alert.issue else None, *texts[alert.id])
    return tuple(changes)


def build_text(alert: Alert, key: str, suspect: CommitInfo, options: TextOptions) -> tuple[str, str] | None:
    """Return the title and the text of the issue of *alert*; None for improvements, which have no issues."""
    if not is_actionable(alert):
        return None
    marker = f"<!-- windtunnel:alert key={key} id={alert.id} -->"
    return render_title(alert), f"{render_text(alert, suspect, options)}{marker}\n"


def _by_alert(key: str, issues: Sequence[ExistingIssue]) -> dict[str, list[ExistingIssue]]:
    """Return the issues with a hidden line, by their alert, the oldest first."""
    found: dict[str, list[ExistingIssue]] = {}
    for issue in sorted(issues, key=lambda issue: issue.number):
        marker = MARKER.search(issue.body)
        if marker and marker[1] == key:
            found.setdefault(marker[2], []).append(issue)
    return found


def _changes_of(alert: Alert, existing: ExistingIssue | None, title: str, body: str) -> Iterator[IssueChange]:
    if alert.issue is None:
        if alert.state is AlertState.OPEN:
            yield OpenIssue(alert=alert.id, title=title, body=body)
        return
    if existing is None or existing.state is not IssueState.OPEN or alert.state is AlertState.MUTED:
        return
    text = existing.body.replace("\r\n", "\n")
    marker = MARKER.search(text)
    if marker and text[: marker.end()] != body.rstrip():  # what a person wrote below the hidden line stays
        yield UpdateIssue(number=existing.number, title=title, body=f"{body.rstrip()}{text[marker.end() :]}")
    if alert.over:
        yield CloseIssue(number=existing.number, completed=True)
