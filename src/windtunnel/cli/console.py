"""What a command writes: the result on stdout, everything else on stderr; outputs of a workflow step."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from windtunnel.errors import DataError, UsageError
from windtunnel.text.escaping import escape_log

QUIET, NORMAL, VERBOSE = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """The two streams of a command, and how much goes to stderr."""

    out: TextIO
    """Receives the result and nothing else."""
    err: TextIO
    """Receives progress, warnings and errors."""
    level: int = NORMAL
    """QUIET, NORMAL or VERBOSE."""

    def print(self, text: str) -> None:
        """Write *text*, a part of the result, to stdout."""
        self.out.write(text)

    def log(self, text: str) -> None:
        """Report a step of the work, unless quiet."""
        if self.level >= NORMAL:
            self._write(text)

    def detail(self, text: str) -> None:
        """Report what only a verbose command shows."""
        if self.level >= VERBOSE:
            self._write(text)

    def warn(self, text: str) -> None:
        """Report a problem that does not stop the work; a quiet command reports it as well."""
        self._write(f"warning: {text}")

    def _write(self, text: str) -> None:
        self.err.write(f"windtunnel: {escape_log(text)}\n")
        self.err.flush()


MAX_OUTPUT_BYTES = 1024 * 1024
"""Bytes in UTF-16 of all outputs of a job (docs.github.com, Workflow syntax, jobs.<job_id>.outputs)."""


def write_github_output(env: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """Append *outputs* to the file $GITHUB_OUTPUT; raises UsageError outside of a workflow step.

    A value may have several lines. Its random delimiter keeps a line of the value from naming another output. Raises
    DataError if GitHub would refuse the outputs for their size.
    """
    size = sum(len(f"{name}{value}".encode("utf-16-le", "surrogatepass")) for name, value in outputs.items())
    if size > MAX_OUTPUT_BYTES:
        raise DataError(f"the outputs of this step take {size} bytes, but a job has {MAX_OUTPUT_BYTES}; select less")
    path = env.get("GITHUB_OUTPUT")
    if not path:
        raise UsageError("--github-output needs $GITHUB_OUTPUT, the file of a workflow step; leave it out elsewhere")
    with Path(path).open("a", encoding="utf-8") as file:
        for name, value in outputs.items():
            delimiter = f"end-{secrets.token_hex(16)}"
            file.write(f"{name}={value}\n" if value.isprintable() else f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
