"""``windtunnel ack``, ``mute`` and ``expect``: what people answer to an alert."""

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from windtunnel.cli.alert_location import add_place, alert_file, said
from windtunnel.cli.options import Parser, parse
from windtunnel.detect.alert_commands import AlertCommand, apply_command, find_alert
from windtunnel.detect.alert_format import AlertState, StateChange
from windtunnel.errors import ExitCode, UsageError, WindtunnelError
from windtunnel.git.process import Git
from windtunnel.text.escaping import visible

LONGEST_WHY = 2000
"""Characters: a reason, no report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One of the answers; *until* tells whether it has an end."""

    name: str
    state: AlertState
    description: str
    example: str
    until: bool = False


def carry_out(command: Command, argv: Sequence[str], out: TextIO, env: Mapping[str, str]) -> int:
    """Keep the answer in alerts.json; the next ``windtunnel alert`` brings its issue up to date."""
    options = parse(_parser(command, out), argv)
    if options is None:
        return ExitCode.FINE
    now = time.time()
    until = options.until if command.until else None
    if until is not None and until <= said(now):
        raise UsageError(f"--until {until} is over; name a day that is to come")
    why = _worded(options.why, "--why")
    note = StateChange(
        state=command.state, author=_worded(options.who or _who(env), "--who"), reason=why, time=said(now)
    )
    given = AlertCommand(id=options.id, change=note, muted_until=until)
    with alert_file(options, env) as place:
        alerts = place.update(lambda before: apply_command(before, given))
    out.write(f"{find_alert(alerts, options.id).id}: {command.state}{f' until {until}' if until else ''}\n")
    return ExitCode.FINE


def _parser(command: Command, out: TextIO) -> Parser:
    parser = Parser(command.name, out=out, description=command.description, example=f"  {command.example}")
    parser.add_argument("id", metavar="ID", help="the alert, as its issue or alerts.json names it; its beginning does")
    parser.add_argument("--why", required=True, metavar="TEXT", help="the reason, for everybody to read")
    parser.add_argument("--who", metavar="NAME", help="who says so (default: user.name of git, else $GITHUB_ACTOR)")
    if command.until:
        parser.add_argument("--until", required=True, type=_until, metavar="DAY", help="such as 2027-01-31, UTC")
    add_place(parser)
    return parser


def _until(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
        return said((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no day; write it as 2027-01-31") from None


def _worded(text: str, option: str) -> str:
    shown = visible(text.strip(), LONGEST_WHY)
    if not shown:
        raise UsageError(f"{option} is empty; whoever reads the alert later will want to know")
    return shown


def _who(env: Mapping[str, str]) -> str:
    try:
        configured = Git(directory=Path.cwd(), env=env).attempt("config", "user.name").out.decode("utf-8", "replace")
    except WindtunnelError:
        configured = ""
    found = configured.strip() or env.get("GITHUB_ACTOR", "").strip()
    if not found:
        raise UsageError("nobody knows who you are; say it with --who, or to git: git config user.name NAME")
    return found
