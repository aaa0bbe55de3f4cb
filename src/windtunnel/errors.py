"""The errors that Windtunnel raises, and their exit codes.

    WindtunnelError            70  a bug, when none below applies
    ├── UsageError              2  the command line is invalid
    ├── ConfigurationError      2  asv.conf.json or [tool.windtunnel] is wrong
    ├── DataError               3  data is missing or broken
    └── RemoteError             4  a remote (git, GitHub) refused
        ├── RefusedError        4  GitHub refused a request, with a status
        └── RemoteBusyError     4  a remote failed and may succeed later
            └── OutrunError     4  another push came first

Exit code 0 is success. 1 means that a regression was found, which is a result and not an error. 130 is Ctrl-C.
A message states what happened, where (file, key, case), and how to fix it.
"""

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """The exit code of a command."""

    FINE = 0
    REGRESSED = 1
    USAGE = 2
    DATA = 3
    REMOTE = 4
    BUG = 70
    INTERRUPTED = 130


class WindtunnelError(Exception):
    """The base of all errors that Windtunnel raises."""

    exit_code: ClassVar[ExitCode] = ExitCode.BUG


class UsageError(WindtunnelError):
    """The command line is invalid."""

    exit_code = ExitCode.USAGE


class ConfigurationError(WindtunnelError):
    """asv.conf.json or [tool.windtunnel] is wrong."""

    exit_code = ExitCode.USAGE


class DataError(WindtunnelError):
    """Data is missing or broken."""

    exit_code = ExitCode.DATA


class RemoteError(WindtunnelError):
    """A remote (git, GitHub) refused."""

    exit_code = ExitCode.REMOTE


class RefusedError(RemoteError):
    """GitHub refused a request; callers with an alternative look at the HTTP *status*."""

    def __init__(self, message: str, *, status: int) -> None:
        """Keep the *message* and the HTTP *status*."""
        super().__init__(message)
        self.status = status


class RemoteBusyError(RemoteError):
    """A remote failed and may succeed later."""


class OutrunError(RemoteBusyError):
    """Another push came first; the commit must be made again on top of the current one."""
