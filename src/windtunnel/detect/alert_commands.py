"""Applies what people decide about alerts: acknowledge, mute, or accept as intended."""

from dataclasses import dataclass

from msgspec.structs import replace

from windtunnel.detect.alert_format import OPEN, Alert, Alerts, AlertState, StateChange
from windtunnel.detect.alerts import change_state
from windtunnel.errors import UsageError

MIN_DIGITS = 4
"""Digits that must be given of an id."""

ALLOWED = {
    AlertState.ACKNOWLEDGED: OPEN | {AlertState.EXPECTED},
    AlertState.MUTED: OPEN,
    AlertState.EXPECTED: OPEN | {AlertState.EXPECTED},
}
"""The states from which each state can be reached by a command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertCommand:
    """A person's decision about an alert."""

    id: str
    """The alert's id, or a unique beginning of it."""
    change: StateChange
    """The new state, the author and the reason."""
    muted_until: str | None = None
    """When a mute ends (ISO 8601)."""


def apply_command(alerts: Alerts, command: AlertCommand) -> Alerts:
    """Return *alerts* after *command*; the same command again changes nothing.

    Raises UsageError where the alert does not exist, or is in a state that does not allow the command.
    """
    alert, change = find_alert(alerts, command.id), command.change
    if alert.state not in ALLOWED[change.state]:
        raise UsageError(
            f"alert {alert.id} is {alert.state} and cannot become {change.state}; alerts.json lists the open alerts"
        )
    last = alert.history[-1] if alert.history else None
    same_state = alert.state is change.state and alert.muted_until == command.muted_until
    if same_state and last is not None and (last.author, last.reason) == (change.author, change.reason):
        return alerts
    changed = change_state(replace(alert, muted_until=command.muted_until), change)
    return replace(alerts, alerts=tuple(changed if one is alert else one for one in alerts.alerts))


def find_alert(alerts: Alerts, prefix: str) -> Alert:
    """Return the alert whose id begins with *prefix*; raises UsageError where there is not exactly one."""
    if len(prefix) < MIN_DIGITS:
        raise UsageError(f"{prefix!r} is too short for an alert's id; give at least {MIN_DIGITS} of its digits")
    found = [alert for alert in alerts.alerts if alert.id.startswith(prefix)]
    if len(found) != 1:
        what = "no alert has" if not found else f"{len(found)} alerts have"
        raise UsageError(f"{what} an id that begins with {prefix[:40]!r}; alerts.json and the issues show the ids")
    return found[0]
