"""``windtunnel expect``: a change was meant."""

from collections.abc import Mapping, Sequence
from typing import TextIO

from windtunnel.cli.alert_commands import Command, carry_out
from windtunnel.detect.alert_format import AlertState

COMMAND = Command(
    name="expect",
    state=AlertState.EXPECTED,
    description="Say that a change was meant: its issue is closed, and it is never told again.",
    example="windtunnel expect 5d0c6f1f3a9e --why 'checksums are worth 5 %'",
)


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:  # noqa: ARG001 - Main's form
    """Keep the answer in alerts.json."""
    return carry_out(COMMAND, argv, out, env)
