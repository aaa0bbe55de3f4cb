"""``windtunnel ack``, ``mute`` and ``expect``: commands that answer an alert."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, File, Name
from windtunnel.cli.reply import run_and_answer
from windtunnel.cli.store_location import RemoteOptions, open_shared_file
from windtunnel.detect.alert_commands import AlertCommand, apply_command, find_alert
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alert, AlertState, StateChange
from windtunnel.errors import UsageError, WindtunnelError
from windtunnel.git.process import Git
from windtunnel.github.command_replies import (
    ReplyTarget,
)
from windtunnel.text.escaping import code, plain, visible


class AlertOptions(RemoteOptions, frozen=True, kw_only=True):
    """Options of commands that use alerts.json."""

    alerts: File | None = None
    """alerts.json in a folder (default: the one on the results branch)."""


def format_time(seconds: float) -> str:
    """Return a time, in seconds since 1970, as alerts.json has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


MAX_REASON = 2000
"""Characters of a reason that are kept."""


def parse_day(text: str) -> str:
    """Return the day *text* as alerts.json has it; raises ValueError."""
    try:
        moment = datetime.fromisoformat(text)
        return format_time((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise ValueError("must be a date, such as 2027-01-31") from None


class ResponseOptions(AlertOptions, frozen=True, kw_only=True):
    """Options of every response to an alert."""

    id: Annotated[str, Arg(positional=True)]
    """The alert, as its issue or alerts.json names it; the first characters are enough."""
    why: Annotated[str, Arg(metavar="TEXT")]
    """The reason, which the issue shows."""
    who: Name | None = None
    """Your name (default: user.name of git, else $GITHUB_ACTOR)."""
    reply: Annotated[ReplyTarget, Arg(metavar="ISSUE/COMMENT", parse=ReplyTarget.parse)] | None = None
    """Answer this comment on GitHub, which asked for it; a refusal is then no error."""


class AckOptions(ResponseOptions, frozen=True, kw_only=True):
    """Acknowledge an alert; it stays open until the level is back.

    example:
      windtunnel ack 5d0c6f1f3a9e --why 'the new parser, being profiled'
    """


class MuteOptions(ResponseOptions, frozen=True, kw_only=True):
    """Mute an alert until a date, unless it is resolved before.

    example:
      windtunnel mute 5d0c6f1f3a9e --until 2027-01-31 --why 'waits for numpy 3'
    """

    until: Annotated[str, Arg(metavar="DAY", parse=parse_day)]
    """The first day on which the alert is active again, such as 2027-01-31, in UTC."""


class ExpectOptions(ResponseOptions, frozen=True, kw_only=True):
    """Accept a change as intended; its issue is closed and never opened again.

    example:
      windtunnel expect 5d0c6f1f3a9e --why 'checksums are worth 5 %'
    """


def ack(options: AckOptions, console: Console, env: Mapping[str, str]) -> int:
    """Acknowledge the alert."""
    return _respond(options, AlertState.ACKNOWLEDGED, None, console, env)


def mute(options: MuteOptions, console: Console, env: Mapping[str, str]) -> int:
    """Mute the alert."""
    return _respond(options, AlertState.MUTED, options.until, console, env)


def expect(options: ExpectOptions, console: Console, env: Mapping[str, str]) -> int:
    """Accept the change."""
    return _respond(options, AlertState.EXPECTED, None, console, env)


def _respond(
    options: ResponseOptions, state: AlertState, until: str | None, console: Console, env: Mapping[str, str]
) -> int:
    """Save the new state in alerts.json; the next ``windtunnel ci alert`` updates the issue."""

    def act() -> str:
        alert = _save(options, state, until, env)
        console.print(f"{alert.id}: {state}{f' until {until}' if until else ''}\n")
        day = f" until {until[:10]}" if until else ""
        last = alert.history[-1]
        by = f"by {plain(last.author)}: {plain(last.reason, MAX_REASON)}"
        return f"the alert {code(alert.id)} is {state}{day} {by}. {NEXT_RUN}"

    return run_and_answer(options.reply, act, console, env)


NEXT_RUN = "Its issue shows that after the next run on the measured branch."


def _save(options: ResponseOptions, state: AlertState, until: str | None, env: Mapping[str, str]) -> Alert:
    """Return the alert in its new state; raises UsageError where that is not possible."""
    if until and until <= format_time(time.time()):
        raise UsageError(f"--until {until} is in the past; name a later day")
    change = StateChange(
        state=state,
        author=_text(options.who or _user(env), "--who"),
        reason=_text(options.why, "--why"),
        time=format_time(time.time()),
    )
    command = AlertCommand(id=options.id, change=change, muted_until=until)
    with open_shared_file(options, options.alerts, ALERTS_FORMAT, env) as store:
        alerts = store.update(lambda before: apply_command(before, command))
    return find_alert(alerts, options.id)


def _text(text: str, option: str) -> str:
    shown = visible(text.strip(), MAX_REASON)
    if not shown:
        raise UsageError(f"{option} must not be empty; readers of the alert need it")
    return shown


def _user(env: Mapping[str, str]) -> str:
    try:
        configured = Git(directory=Path.cwd(), env=env).attempt("config", "user.name").out.decode("utf-8", "replace")
    except WindtunnelError:
        configured = ""
    found = configured.strip() or env.get("GITHUB_ACTOR", "").strip()
    if not found:
        raise UsageError("your name is unknown; use --who, or run git config user.name NAME")
    return found


ACTIONS = {
    "ack": ack,
    "mute": mute,
    "expect": expect,
}
"""The actions of the command, by name."""
