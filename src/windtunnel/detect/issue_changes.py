"""Decides how GitHub's issues must change to match the alerts.

The issues are the only record of what was reported. A run that fails halfway loses nothing: the next run compares again
and does what is missing. A hidden last line in its text connects an issue to its alert.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.detect.alert_format import (
    Alert,
    AlertState,
    CloseIssue,
    ExistingIssue,
    IssueChange,
    OpenIssue,
    ReopenIssue,
    UpdateIssue,
)
from windtunnel.detect.alert_text import CommitInfo, TextOptions, is_actionable, render_text, render_title

MARKER = re.compile(r"<!-- windtunnel:alert key=([A-Za-z0-9_.-]+) id=([0-9a-f]{12}) is=(open|closed) -->")
REPORTED = frozenset({AlertState.RAISED, AlertState.UPDATED, AlertState.ACKNOWLEDGED})
"""States in which an alert has an open issue."""
ENDED = frozenset({AlertState.RESOLVED, AlertState.EXPECTED})
"""States in which an alert's issue is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesiredIssue:
    """The issue that an alert should have."""

    alert: str
    """The alert's id."""
    title: str
    """The title."""
    body: str
    """The text, in Markdown, with the marker as its last line."""
    is_open: bool | None
    """Whether the issue is open; None leaves it as it is and opens none."""
    completed: bool
    """Whether a closed issue counts as completed, or as not planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueMarker:
    """The hidden line of an issue."""

    key: str
    """The suite."""
    alert: str
    """The alert's id."""
    left_open: bool
    """Whether Windtunnel left the issue open."""


def read_marker(body: str) -> IssueMarker | None:
    """Return the hidden line of the text of an issue, None where its last line is another one."""
    found = MARKER.fullmatch(body.replace("\r\n", "\n").rstrip().rpartition("\n")[2])
    return IssueMarker(key=found[1], alert=found[2], left_open=found[3] == "open") if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _AlertIssue:
    """An existing issue with a marker."""

    number: int
    alert: str
    body: str
    is_open: bool
    left_open: bool
    """Whether Windtunnel left the issue open, as the marker states."""


def build_issue(alert: Alert, key: str, suspect: CommitInfo, options: TextOptions) -> DesiredIssue | None:
    """Return the issue that *alert* should have; None for improvements, which have no issues."""
    if not is_actionable(alert):
        return None
    is_open = True if alert.state in REPORTED else False if alert.state in ENDED else None
    marker = f"<!-- windtunnel:alert key={key} id={alert.id} is={'closed' if is_open is False else 'open'} -->"
    return DesiredIssue(
        alert=alert.id,
        title=render_title(alert),
        body=f"{render_text(alert, suspect, options)}{marker}\n",
        is_open=is_open,
        completed=alert.state is AlertState.RESOLVED,
    )


def decide_issue_changes(
    desired: Sequence[DesiredIssue], key: str, existing: Sequence[ExistingIssue]
) -> tuple[IssueChange, ...]:
    """Return what to change so that the *existing* issues of the suite *key* match the *desired* ones.

    After a failure at any step the remaining changes are still correct. Where two concurrent runs opened two issues
    for one alert, the older one stays open.
    """
    kept: dict[str, _AlertIssue] = {}
    changes: list[IssueChange] = []
    for issue in sorted(_with_marker(key, existing), key=lambda issue: issue.number):
        if issue.alert not in kept:
            kept[issue.alert] = issue
        elif issue.is_open:
            changes.append(CloseIssue(number=issue.number, completed=False))
    for wanted in desired:
        if own := kept.get(wanted.alert):
            changes += _changes_of(own, wanted)
        elif wanted.is_open:
            changes.append(OpenIssue(alert=wanted.alert, title=wanted.title, body=wanted.body))
    return tuple(changes)


def _with_marker(key: str, existing: Sequence[ExistingIssue]) -> Iterator[_AlertIssue]:
    for issue in existing:
        body = issue.body.replace("\r\n", "\n").rstrip()
        found = read_marker(body)
        if found and found.key == key:
            yield _AlertIssue(
                number=issue.number, alert=found.alert, body=body, is_open=issue.is_open, left_open=found.left_open
            )


def _changes_of(own: _AlertIssue, wanted: DesiredIssue) -> tuple[IssueChange, ...]:
    differs = own.body != wanted.body.rstrip()
    update = (UpdateIssue(number=own.number, title=wanted.title, body=wanted.body),) if differs else ()
    if wanted.is_open and not own.is_open:
        # The marker says "open": a person closed the issue, and it stays closed.
        return () if own.left_open else (ReopenIssue(number=own.number), *update)
    if wanted.is_open is False and own.is_open:
        return (*update, CloseIssue(number=own.number, completed=wanted.completed))
    return update if own.is_open or not own.left_open else ()
