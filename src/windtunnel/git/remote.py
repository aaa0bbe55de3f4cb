"""A remote: the settings that reach it, and what its refusals mean."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from windtunnel.errors import OutrunError, RemoteBusyError, RemoteError, UsageError
from windtunnel.git.process import Git, failure

FINAL = re.compile(
    r"does not appear to be a git repository|repository .*not found|authentication failed|could not read username"
    r"|permission (to .* )?denied|host key verification failed|requested url returned error: 40[0134]"
    r"|dubious ownership|unable to find remote helper|transport '.*' not allowed|mismatched algorithms"
    r"|unadvertised object|not our ref|write access to repository not granted",
    re.IGNORECASE,
)
"""What the next try would hear again; git has no codes for it, only words."""

OUTRUN = re.compile(
    r"\[rejected\]|\[remote rejected\] \((fetch first|failed to update ref|cannot lock ref|reference already exists"
    r"|incorrect old value|shallow update not allowed)"
)
"""Why a push is refused when another one came first: by this side, by the other one."""


def no_such_branch(err: str) -> bool:
    """Tell whether a fetch failed only because the branch is not there."""
    return "couldn't find remote ref" in err


def fetch_refusal(err: str, remote: str) -> RemoteError:
    """Return the error for a remote that could not be read."""
    said = _last_words(err)
    if FINAL.search(err):
        return RemoteError(f"remote {remote} cannot be read: {said}; see its URL and the credentials for it")
    return RemoteBusyError(f"remote {remote} cannot be reached: {said}; see the network and try again")


def push_refusal(out: str, err: str, target: str) -> RemoteError:
    """Return the error for a failed ``git push --porcelain`` to *target*."""
    refused = next((line for line in out.splitlines() if line.startswith("!")), "")
    reason, said = refused.rpartition("\t")[2], _last_words(err)
    if OUTRUN.search(refused):
        return OutrunError(f"{target} has moved: {reason}: {said}; fetch it and push again")
    if "remote rejected" in refused and "unpack" not in refused:
        return RemoteError(
            f"{target} refuses the push: {reason}: {said}; "
            "see the rules that protect the branch, and let this user push to it"
        )
    if FINAL.search(err):
        return RemoteError(f"{target} cannot be pushed to: {said}; in GitHub Actions the job needs contents: write")
    return RemoteBusyError(f"{target} cannot be pushed to: {said or reason}; see the network and try again")


def _last_words(err: str) -> str:
    """Return what the other side said, or else git's own complaint, in one line."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    theirs = [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]
    ours = [line for line in lines if line.startswith(("fatal:", "error:", "ssh:", "ERROR:"))]
    return " ".join([line for line in theirs if line][:5] or ours[:2] or lines[:2])


INHERITED = ("credential.", "http.", "protocol.", "ssh.", "url.", "core.askpass", "core.gitproxy", "core.sshcommand")
"""How a remote is reached; actions/checkout leaves its token under ``http.``, in the clone's own configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One line of git's configuration."""

    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A remote repository, reached from *directory*: relative URLs begin there."""

    name: str
    """As the user said it: a remote of the repository, a URL or a path."""
    directory: Path
    settings: tuple[Setting, ...]
    """For a repository in which the remote is called ``windtunnel``."""
    author: str
    """``Name <e-mail>`` for commits."""

    @classmethod
    def find(cls, name: str, directory: Path, env: Mapping[str, str]) -> Self:
        """Look *name* up in the repository around *directory*, if there is one."""
        git = Git(directory=_top(directory, env), env=env)
        here = _settings(git.bytes("config", "--list", "-z", "--includes"))
        everywhere = _settings(git.bytes("--git-dir=/dev/null", "config", "--list", "-z", "--includes"))
        own = (Counter(here) - Counter(everywhere)).elements()
        return cls(
            name=name,
            directory=git.directory,
            settings=(*_location(name, git.directory, here), *(s for s in own if s.key.startswith(INHERITED))),
            author=_author(git),
        )


def environment(settings: Iterable[Setting], env: Mapping[str, str]) -> Mapping[str, str]:
    """Return *env* with *settings* for git, on top of those that are in it; tokens never meet a command line."""
    first = int(env.get("GIT_CONFIG_COUNT") or 0)
    keyed = dict(env)
    count = first
    for count, setting in enumerate(settings, first + 1):
        keyed[f"GIT_CONFIG_KEY_{count - 1}"] = setting.key
        keyed[f"GIT_CONFIG_VALUE_{count - 1}"] = setting.value
    return keyed | {"GIT_CONFIG_COUNT": str(count)}


def _top(directory: Path, env: Mapping[str, str]) -> Path:
    """Return the root of the repository around *directory*; outside of any, *directory* itself."""
    command = ("rev-parse", "--is-inside-work-tree", "--show-toplevel")
    finished = Git(directory=directory, env=env).attempt(*command)
    if finished.exit_code == 0:
        return Path(os.fsdecode(finished.out.removesuffix(b"\n").partition(b"\n")[2]))
    if "not a git repository" in finished.err or finished.out.startswith(b"false"):
        return directory
    raise failure(finished, command, directory)


def _settings(raw: bytes) -> tuple[Setting, ...]:
    """Parse ``git config -z``; a key without a value means true."""
    entries = (os.fsdecode(entry).partition("\n") for entry in raw.split(b"\0")[:-1])
    return tuple(Setting(key=key, value=value if newline else "true") for key, newline, value in entries)


def _location(name: str, directory: Path, settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """Return where *name* is: what the repository says of a remote so called, or a URL or path itself."""
    prefix = f"remote.{name}."
    wanted = {prefix + key for key in ("url", "pushurl", "proxy", "proxyauthmethod", "receivepack", "uploadpack")}
    found = tuple(
        Setting(key="remote.windtunnel." + setting.key.removeprefix(prefix), value=setting.value)
        for setting in settings
        if setting.key in wanted
    )
    if any(setting.key == "remote.windtunnel.url" for setting in found):
        return found
    place = bool(name) and not name.startswith("-") and (":" in name or "/" in name or (directory / name).is_dir())
    if not place:
        raise UsageError(
            f"{directory} has no remote {name!r}; add it (git remote add {name} URL), or name another, a URL or a path"
        )
    return (Setting(key="remote.windtunnel.url", value=name),)


def _author(git: Git) -> str:
    """Return who commits: the user as git knows them, else Windtunnel itself."""
    known = git.attempt("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
    if known.exit_code != 0:
        return "Windtunnel <windtunnel@localhost>"
    return os.fsdecode(known.out).rpartition(">")[0] + ">"
