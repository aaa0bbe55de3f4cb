"""Runs git: with a clean environment, bytes as output, and clear errors."""

import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import DataError, RemoteError, UsageError, WindtunnelError

REMOVED_VARIABLES = frozenset(
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
"""Set by git for its hooks (``git rev-parse --local-env-vars``); they would redirect our git to another repository."""

FIXED_VARIABLES = {
    "GIT_LITERAL_PATHSPECS": "1",  # a path is a path, never a pattern
    "GIT_NO_REPLACE_OBJECTS": "1",  # hashes name what they hash
    "GIT_OPTIONAL_LOCKS": "0",  # reading must not write: `git status` would refresh the index
    "GIT_TERMINAL_PROMPT": "0",  # a prompt would wait forever
    "LC_ALL": "C",  # the messages are parsed
}

LOGIN_VARIABLE = "WINDTUNNEL_GIT_TOKEN"
"""The environment variable with a token for the forge. Git asks for it when it needs it: no file and no command line
holds it."""

CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""Characters that change a terminal or a file; a remote can send them in its messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    """One entry of git's configuration."""

    key: str
    """Such as ``http.proxy``."""
    value: str
    """As git prints it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitResult:
    """The result of one run of git."""

    exit_code: int
    """0 for success."""
    out: bytes
    """Standard output."""
    err: str
    """Standard error, without credentials and control characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """The git command."""

    directory: Path
    """Where it runs."""
    env: Mapping[str, str]
    """Its environment variables; those that redirect git are removed."""

    def attempt(self, *arguments: str, stdin: bytes = b"", timeout: float | None = None) -> GitResult:
        """Run git and return the result, whatever the exit code; *timeout* in seconds is for network access."""
        kept = {name: value for name, value in self.env.items() if name not in REMOVED_VARIABLES}
        try:
            done = subprocess.run(
                ["git", *arguments],
                cwd=self.directory,
                env=with_token(kept) | FIXED_VARIABLES,
                input=stdin,
                capture_output=True,
                check=False,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            raise RemoteError(
                f"git {arguments[0]} got no response within {timeout:.0f} s; check that the remote can be reached"
            ) from None
        except (FileNotFoundError, NotADirectoryError):
            if not self.directory.is_dir():
                raise UsageError(f"{self.directory} is not a folder; name a folder in a git repository") from None
            raise UsageError("the command git is not on PATH; install git 2.31 or newer") from None
        return GitResult(exit_code=done.returncode, out=done.stdout, err=CONTROL.sub("", readable(done.stderr)))

    def bytes(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run git and return its output; raises an error when it fails."""
        finished = self.attempt(*arguments, stdin=stdin)
        if finished.exit_code != 0:
            raise git_error(finished, arguments, self.directory)
        return finished.out

    def text(self, *arguments: str) -> str:
        """Run git and return its output as text without the last line break; raises an error when it fails."""
        return readable(self.bytes(*arguments))


def readable(raw: bytes) -> str:
    """Return git's output as text, without the passwords and tokens of URLs."""
    return hide_password(raw.decode("utf-8", "surrogateescape").removesuffix("\n"))


def hide_password(text: str) -> str:
    """Return *text* without the passwords and tokens of URLs."""
    return CREDENTIALS.sub("***@", text)


def git_error(result: GitResult, arguments: tuple[str, ...], directory: Path) -> WindtunnelError:
    """Return the error for a run of git that failed in *directory*."""
    err = result.err
    if "not a git repository" in err or "must be run in a work tree" in err:
        return UsageError(f"{directory} is not in a git work tree; change to one, or name it")
    if "dubious ownership" in err:
        return UsageError(
            f"git refuses {directory}, which belongs to another user; "
            f"if that is intended: git config --global --add safe.directory {directory}"
        )
    message = err.strip() or f"exit code {result.exit_code}"
    return DataError(f"git {arguments[0]} failed in {directory}: {message}; 'git fsck' shows what is broken")


def with_config(config: Iterable[ConfigEntry], env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* with *config* added for git, so that tokens do not appear on a command line."""
    first = int(env.get("GIT_CONFIG_COUNT") or 0)
    keyed = dict(env)
    count = first
    for count, entry in enumerate(config, first + 1):
        keyed[f"GIT_CONFIG_KEY_{count - 1}"] = entry.key
        keyed[f"GIT_CONFIG_VALUE_{count - 1}"] = entry.value
    return keyed | {"GIT_CONFIG_COUNT": str(count)}


def with_token(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* with a helper that gives the token of *env* to its forge only, whatever else is cloned.

    Git asks a helper by address (gitcredentials(7)); the forge is $GITHUB_SERVER_URL, else github.com.
    """
    if not env.get(LOGIN_VARIABLE):
        return dict(env)
    server = (env.get("GITHUB_SERVER_URL") or "https://github.com").rstrip("/")
    helper = f'!printf "username=x-access-token\\npassword=%s\\n" "${LOGIN_VARIABLE}" #'
    return with_config((ConfigEntry(key=f"credential.{server}.helper", value=helper),), env)
