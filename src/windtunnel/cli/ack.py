"""``windtunnel ack``: somebody looks into an alert."""

from collections.abc import Mapping, Sequence
from typing import TextIO

from windtunnel.cli.alert_commands import Command, carry_out
from windtunnel.detect.alert_format import AlertState

COMMAND = Command(
    name="ack",
    state=AlertState.ACKNOWLEDGED,
    description="Say that somebody looks into an alert; it stays open until the level is back.",
    example="windtunnel ack 5d0c6f1f3a9e --why 'the new parser, being profiled'",
)


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:  # noqa: ARG001 - Main's form
    """Keep the answer in alerts.json."""
    return carry_out(COMMAND, argv, out, env)
