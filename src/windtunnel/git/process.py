"""One run of git: a clean environment in, bytes out, failures in words."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import DataError, RemoteError, UsageError, WindtunnelError

HOSTILE = frozenset(
    (
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    )
)
"""What git sets for its hooks (``git rev-parse --local-env-vars``): it would turn our git to another repository."""

FIXED = {
    "GIT_LITERAL_PATHSPECS": "1",  # a path is a path, never a pattern
    "GIT_NO_REPLACE_OBJECTS": "1",  # hashes name what they hash
    "GIT_OPTIONAL_LOCKS": "0",  # asking must not write: `git status` would refresh the index
    "GIT_TERMINAL_PROMPT": "0",  # a question nobody can answer is a hang
    "LC_ALL": "C",  # messages are read below
}

CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a run of git left."""

    exit_code: int
    out: bytes
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """The git command, run in *directory* with the environment *env*."""

    directory: Path
    env: Mapping[str, str]

    def attempt(self, *arguments: str, stdin: bytes = b"", timeout: float | None = None) -> Finished:
        """Run git and return how it ended; *timeout* in seconds is for what asks the network."""
        try:
            done = subprocess.run(
                ["git", *arguments],
                cwd=self.directory,
                env={name: value for name, value in self.env.items() if name not in HOSTILE} | FIXED,
                input=stdin,
                capture_output=True,
                check=False,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            raise RemoteError(
                f"git {arguments[0]} got no answer within {timeout:.0f} s; see that the remote can be reached"
            ) from None
        except (FileNotFoundError, NotADirectoryError):
            raise _not_startable(self.directory) from None
        return Finished(exit_code=done.returncode, out=done.stdout, err=readable(done.stderr))

    def bytes(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run git, which must succeed, and return its output."""
        finished = self.attempt(*arguments, stdin=stdin)
        if finished.exit_code != 0:
            raise failure(finished, arguments, self.directory)
        return finished.out

    def text(self, *arguments: str) -> str:
        """Run git, which must succeed, and return its output without the last line break."""
        return readable(self.bytes(*arguments))


def readable(raw: bytes) -> str:
    """Return what git said as text, without the passwords and tokens of URLs."""
    return CREDENTIALS.sub("***@", raw.decode("utf-8", "surrogateescape").removesuffix("\n"))


def failure(finished: Finished, arguments: tuple[str, ...], directory: Path) -> WindtunnelError:
    """Return the error that says why git failed in *directory* and what to do next."""
    err = finished.err
    if "not a git repository" in err or "must be run in a work tree" in err:
        return UsageError(f"{directory} is in no git work tree; go to one, or name it")
    if "dubious ownership" in err:
        return UsageError(
            f"git refuses {directory}, which belongs to another user; "
            f"if that is right: git config --global --add safe.directory {directory}"
        )
    said = err.strip() or f"exit code {finished.exit_code}"
    return DataError(f"git {arguments[0]} failed in {directory}: {said}; 'git fsck' tells what is broken")


def _not_startable(directory: Path) -> WindtunnelError:
    if not directory.is_dir():
        return UsageError(f"{directory} is no folder; name a folder in a git repository")
    return UsageError("the command git is not on PATH; install git 2.31 or newer")
