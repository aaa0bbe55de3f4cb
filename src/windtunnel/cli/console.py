"""What a command writes: the result on stdout, everything else on stderr."""

import shutil
from dataclasses import dataclass
from typing import TextIO

from windtunnel.text.escaping import escape_log

QUIET, NORMAL, VERBOSE = 0, 1, 2


def terminal_width() -> int:
    """Return the columns of this terminal."""
    return shutil.get_terminal_size(fallback=(100, 24)).columns


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
