"""What people answer to an alert: they look into it, want no word for a while, or meant the change."""

from dataclasses import dataclass, replace

from windtunnel.detect.alert_format import Alert, Alerts, Note, State
from windtunnel.detect.alerts import turned
from windtunnel.errors import UsageError

FEWEST_DIGITS = 4
"""Of an id; less is a slip."""

ALLOWED = {
    State.ACKNOWLEDGED: frozenset({State.RAISED, State.UPDATED, State.ACKNOWLEDGED, State.MUTED, State.EXPECTED}),
    State.MUTED: frozenset({State.RAISED, State.UPDATED, State.ACKNOWLEDGED, State.MUTED}),
    State.EXPECTED: frozenset({State.RAISED, State.UPDATED, State.ACKNOWLEDGED, State.MUTED, State.EXPECTED}),
}
"""The states that each answer may follow; what is resolved waits for no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """*note* is said of the alert *id* (or the only one whose id begins so); *until* belongs to a mute."""

    id: str
    note: Note
    until: str | None = None


def answer(alerts: Alerts, given: Answer) -> Alerts:
    """Return *alerts* after *given*; the same answer again changes nothing. Raises UsageError."""
    alert = find(alerts, given.id)
    state = given.note.state
    if alert.state not in ALLOWED[state]:
        raise UsageError(
            f"alert {alert.id} is {alert.state}: there is nothing to answer; see alerts.json for those open"
        )
    last = alert.history[-1] if alert.history else None
    same = alert.state is state and alert.until == given.until
    if last is not None and same and (last.who, last.why) == (given.note.who, given.note.why):
        return alerts
    changed = turned(replace(alert, until=given.until), state, given.note)
    return replace(alerts, alerts=tuple(changed if one is alert else one for one in alerts.alerts))


def find(alerts: Alerts, name: str) -> Alert:
    """Return the alert *name*; raises UsageError where none or several begin so."""
    if len(name) < FEWEST_DIGITS:
        raise UsageError(f"{name!r} is too short for an alert's id; give at least {FEWEST_DIGITS} of its digits")
    found = [alert for alert in alerts.alerts if alert.id.startswith(name)]
    if len(found) != 1:
        what = "no alert has" if not found else f"{len(found)} alerts have"
        raise UsageError(f"{what} an id that begins with {name[:40]!r}; the ids stand in alerts.json and in the issues")
    return found[0]
