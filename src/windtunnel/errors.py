"""Every error that Windtunnel raises on purpose, and the exit code of each.

    WindtunnelError            70  a bug, when nothing below fits
    ├── UsageError              2  the command line asks for something that cannot be
    ├── ConfigurationError      2  asv.conf.json or [tool.windtunnel] is wrong
    ├── DataError               3  data is missing or broken
    │   └── NothingMeasuredError   3  a run ended without a single value
    └── RemoteError             4  a remote (git, GitHub) refused
        ├── RefusedError        4  GitHub refused a request, with a status
        └── RemoteBusyError     4  a remote failed in a way that may pass
            └── OutrunError     4  another push came first

Exit code 0 is fine and 1 is *regression found*: a result, hence no error. 130 is Ctrl-C, as in every shell.
A message says what, where (file, key, case) and what to do next.
"""

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What a command tells the shell."""

    FINE = 0
    REGRESSED = 1
    USAGE = 2
    DATA = 3
    REMOTE = 4
    BUG = 70
    INTERRUPTED = 130


class WindtunnelError(Exception):
    """Root of the tree: anything Windtunnel raises on purpose."""

    exit_code: ClassVar[ExitCode] = ExitCode.BUG


class UsageError(WindtunnelError):
    """The command line asks for something that cannot be."""

    exit_code = ExitCode.USAGE


class ConfigurationError(WindtunnelError):
    """asv.conf.json or [tool.windtunnel] is wrong."""

    exit_code = ExitCode.USAGE


class DataError(WindtunnelError):
    """Data is missing or broken."""

    exit_code = ExitCode.DATA


class NothingMeasuredError(DataError):
    """A run ended without a single value; calling that a success would hide it."""


class RemoteError(WindtunnelError):
    """A remote (git, GitHub) refused."""

    exit_code = ExitCode.REMOTE


class RefusedError(RemoteError):
    """GitHub refused a request; *status* is HTTP's, for callers who have another way."""

    def __init__(self, message: str, *, status: int) -> None:
        """Keep the status beside the message."""
        super().__init__(message)
        self.status = status


class RemoteBusyError(RemoteError):
    """A remote failed in a way that may pass: the next try can succeed."""


class OutrunError(RemoteBusyError):
    """Another push came first: what was pushed is to be made again from what is there now."""
