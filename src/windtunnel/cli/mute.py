"""``windtunnel mute``: nothing is said of an alert for a while."""

from collections.abc import Mapping, Sequence
from typing import TextIO

from windtunnel.cli.alert_commands import Command, carry_out
from windtunnel.detect.alert_format import AlertState

COMMAND = Command(
    name="mute",
    state=AlertState.MUTED,
    description="Hear nothing of an alert until a day, unless it is resolved before.",
    example="windtunnel mute 5d0c6f1f3a9e --until 2027-01-31 --why 'waits for numpy 3'",
    until=True,
)


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:  # noqa: ARG001 - Main's form
    """Keep the answer in alerts.json."""
    return carry_out(COMMAND, argv, out, env)
