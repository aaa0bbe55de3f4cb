"""What people answer to an alert: they look into it, want no word for a while, or meant the change."""

from dataclasses import dataclass, replace

from windtunnel.detect.alert_format import Alert, Alerts, AlertState, StateChange
from windtunnel.detect.alerts import change_state
from windtunnel.errors import UsageError

FEWEST_DIGITS = 4
"""Of an id; less is a slip."""

ALLOWED = {
    AlertState.ACKNOWLEDGED: frozenset(
        {AlertState.RAISED, AlertState.UPDATED, AlertState.ACKNOWLEDGED, AlertState.MUTED, AlertState.EXPECTED}
    ),
    AlertState.MUTED: frozenset({AlertState.RAISED, AlertState.UPDATED, AlertState.ACKNOWLEDGED, AlertState.MUTED}),
    AlertState.EXPECTED: frozenset(
        {AlertState.RAISED, AlertState.UPDATED, AlertState.ACKNOWLEDGED, AlertState.MUTED, AlertState.EXPECTED}
    ),
}
"""The states that each answer may follow; what is resolved waits for no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertCommand:
    """*note* is said of the alert *id* (or the only one whose id begins so); *until* belongs to a mute."""

    id: str
    note: StateChange
    until: str | None = None


def apply_command(alerts: Alerts, given: AlertCommand) -> Alerts:
    """Return *alerts* after *given*; the same answer again changes nothing. Raises UsageError."""
    alert = find_alert(alerts, given.id)
    state = given.note.state
    if alert.state not in ALLOWED[state]:
        raise UsageError(
            f"alert {alert.id} is {alert.state}: there is nothing to answer; see alerts.json for those open"
        )
    last = alert.history[-1] if alert.history else None
    same = alert.state is state and alert.until == given.until
    if last is not None and same and (last.who, last.why) == (given.note.who, given.note.why):
        return alerts
    changed = change_state(replace(alert, until=given.until), state, given.note)
    return replace(alerts, alerts=tuple(changed if one is alert else one for one in alerts.alerts))


def find_alert(alerts: Alerts, name: str) -> Alert:
    """Return the alert *name*; raises UsageError where none or several begin so."""
    if len(name) < FEWEST_DIGITS:
        raise UsageError(f"{name!r} is too short for an alert's id; give at least {FEWEST_DIGITS} of its digits")
    found = [alert for alert in alerts.alerts if alert.id.startswith(name)]
    if len(found) != 1:
        what = "no alert has" if not found else f"{len(found)} alerts have"
        raise UsageError(f"{what} an id that begins with {name[:40]!r}; the ids stand in alerts.json and in the issues")
    return found[0]
