"""A remote: the configuration that reaches it, and the meaning of its errors."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from windtunnel.errors import OutrunError, RemoteBusyError, RemoteError, UsageError
from windtunnel.files import locked
from windtunnel.git.process import ConfigEntry, Git, git_error, hide_password, with_config
from windtunnel.git.repository import parse_symref
from windtunnel.model.identity import CommitHash
from windtunnel.text.escaping import visible

CLONE_TIMEOUT = 3600.0
"""Seconds to wait for another command that fetches into the same clone."""

PERMANENT = re.compile(
    r"does not appear to be a git repository|repository .*not found|authentication failed|could not read username"
    r"|permission (to .* )?denied|host key verification failed|requested url returned error: 40[0134]"
    r"|dubious ownership|unable to find remote helper|transport '.*' not allowed|mismatched algorithms"
    r"|unadvertised object|not our ref|write access to repository not granted",
    re.IGNORECASE,
)
"""Errors that another attempt would get again; git has no codes for them, only messages."""

OUTRUN = re.compile(
    r"\[rejected\]|\[remote rejected\] \((fetch first|failed to update ref|cannot lock ref|reference already exists"
    r"|incorrect old value|shallow update not allowed)"
)
"""Refusals, by git or by the remote, of a push that came second."""


def is_missing_branch(err: str) -> bool:
    """Return whether a fetch failed only because the branch does not exist."""
    return "couldn't find remote ref" in err


def fetch_error(err: str, remote: str) -> RemoteError:
    """Return the error for a remote that could not be read."""
    message = _remote_message(err)
    if PERMANENT.search(err):
        return RemoteError(f"remote {remote} cannot be read: {message}; check its URL and credentials")
    return RemoteBusyError(f"remote {remote} cannot be reached: {message}; check the network and try again")


def push_error(out: str, err: str, target: str) -> RemoteError:
    """Return the error for a failed ``git push --porcelain`` to *target*."""
    refused = next((line for line in out.splitlines() if line.startswith("!")), "")
    reason, message = refused.rpartition("\t")[2], _remote_message(err)
    if OUTRUN.search(refused):
        return OutrunError(f"{target} has moved: {reason}: {message}; fetch it and push again")
    if "remote rejected" in refused and "unpack" not in refused:
        return RemoteError(
            f"{target} refuses the push: {reason}: {message}; "
            "check the protection rules of the branch; this user must be allowed to push"
        )
    if PERMANENT.search(err):
        return RemoteError(f"{target} cannot be pushed to: {message}; in GitHub Actions the job needs contents: write")
    return RemoteBusyError(f"{target} cannot be pushed to: {message or reason}; check the network and try again")


def _remote_message(err: str) -> str:
    """Return the remote's message, or else git's own error, in one line."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    theirs = [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]
    ours = [line for line in lines if line.startswith(("fatal:", "error:", "ssh:", "ERROR:"))]
    return " ".join([line for line in theirs if line][:5] or ours[:2] or lines[:2])


def update_clone(address: str, folder: Path, around: Path, env: Mapping[str, str]) -> None:
    """Fetch every branch and tag of *address* into the bare repository *folder*, which is created when missing.

    The configuration of git *around* that folder applies, so a token that actions/checkout keeps there is used. Raises
    RemoteError if *address* cannot be read.
    """
    remote = Remote.find(address, around, env)
    quiet = (ConfigEntry(key="gc.auto", value="0"), ConfigEntry(key="maintenance.auto", value="false"))
    own = (*remote.config, *quiet, NO_DESCRIPTORS)
    with locked(folder, CLONE_TIMEOUT):
        git = Git(directory=folder, env=with_config(own, env))
        git.bytes("init", "--quiet", "--bare", "--template=", ".")
        command = ("fetch", "--quiet", "--prune", "--no-write-fetch-head", "--recurse-submodules=no", "windtunnel")
        fetched = git.attempt(*command, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        head = git.attempt("ls-remote", "--symref", "windtunnel", "HEAD")
        for done in (fetched, head):
            if done.exit_code != 0:
                raise fetch_error(done.err, hide_password(address))
        if branch := parse_symref(head.out):
            git.bytes("symbolic-ref", "HEAD", f"refs/heads/{branch}")


def fetch_history(root: Path, branch: str, commit: str, env: Mapping[str, str]) -> None:
    """Fetch the whole history of *branch* of origin into the clone at *root*, and that of *commit*.

    Raises RemoteError if origin cannot be read or has no such branch.
    """
    command = ("fetch", "--quiet", "--depth=2147483647", "--no-recurse-submodules", "origin")
    wanted = f"+refs/heads/{branch}:refs/remotes/origin/{branch}"
    done = Git(directory=root, env=env).attempt(*command, wanted, commit)
    if done.exit_code != 0:
        raise fetch_error(done.err, "origin")


def fetch_submodules(root: Path, env: Mapping[str, str], *, recursive: bool) -> None:
    """Check out the submodules of the clone at *root* without their history, *recursive* also theirs.

    Raises RemoteError.
    """
    further = ("--recursive",) if recursive else ()
    done = Git(directory=root, env=env).attempt("submodule", "--quiet", "update", "--init", "--depth=1", *further)
    if done.exit_code != 0:
        raise fetch_error(done.err, "a submodule")


RESOLVE_TIMEOUT = 60.0
"""Seconds to wait for a remote's list of references."""

LISTED = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64})\t(.+)")
"""A line of ``git ls-remote``."""


def resolve_remote_ref(address: str, ref: str, around: Path, env: Mapping[str, str]) -> CommitHash:
    """Return the commit that a tag or else a branch *ref* of *address* names; ``refs/...`` names one exactly.

    For an annotated tag a remote lists the hash of the tag object first, and the commit below it as ``REF^{}``
    (git-ls-remote(1), git-rev-parse(1)). Raises UsageError if there is no such name, RemoteError if *address* cannot
    be read. The configuration of git *around* that folder applies.
    """
    remote = Remote.find(address, around, env)
    git = Git(directory=remote.directory, env=with_config(remote.config, env))
    names = (ref,) if ref.startswith("refs/") else (f"refs/tags/{ref}", f"refs/heads/{ref}")
    if any(git.attempt("check-ref-format", name).exit_code != 0 for name in names):
        raise UsageError(f"{visible(ref, 100)!r} is not the name of a tag or branch")
    patterns = [pattern for name in names for pattern in (name, f"{name}^{{}}")]
    listed = git.attempt("ls-remote", "--quiet", "windtunnel", *patterns, timeout=RESOLVE_TIMEOUT)
    if listed.exit_code != 0:
        raise fetch_error(listed.err, hide_password(address))
    commit = _find_commit(listed.out, names)
    if commit is None:
        place = hide_password(address)
        raise UsageError(f"{place} has no tag or branch {ref!r}; git ls-remote {place} lists what it has")
    return commit


def _find_commit(listing: bytes, names: Sequence[str]) -> CommitHash | None:
    """Return the commit of the first of *names* in the output of ``git ls-remote``; None if it lists none of them.

    A pattern also matches longer names (``refs/x/refs/tags/v1``), so only equal names count.
    """
    lines = (LISTED.fullmatch(line) for line in listing.decode("utf-8", "replace").splitlines())
    hashes = {found[2]: CommitHash(found[1]) for found in lines if found}
    peeled = (hashes.get(f"{name}^{{}}") or hashes.get(name) for name in names)
    return next((commit for commit in peeled if commit), None)


INHERITED = ("credential.", "http.", "protocol.", "ssh.", "url.", "core.askpass", "core.gitproxy", "core.sshcommand")
"""Keys that determine how a remote is reached; actions/checkout stores its token under ``http.`` in the clone."""


NO_DESCRIPTORS = ConfigEntry(key="protocol.fd.allow", value="never")
"""The remote ``fd::3`` would be an inherited file descriptor, which git may read for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A remote repository."""

    name: str
    """As the user wrote it: a remote of the repository, a URL or a path."""
    directory: Path
    """Relative URLs start here."""
    config: tuple[ConfigEntry, ...]
    """For a repository in which the remote is called ``windtunnel``."""
    author: str
    """``Name <e-mail>`` for commits."""

    @classmethod
    def find(cls, name: str, directory: Path, env: Mapping[str, str]) -> Self:
        """Look up *name* in the repository around *directory*, if there is one."""
        git = Git(directory=_top(directory, env), env=env)
        here = _parse_config(git.bytes("config", "--list", "-z", "--includes"))
        everywhere = _parse_config(git.bytes("--git-dir=/dev/null", "config", "--list", "-z", "--includes"))
        own = (Counter(here) - Counter(everywhere)).elements()
        return cls(
            name=name,
            directory=git.directory,
            config=(*_location(name, git.directory, here), *(s for s in own if s.key.startswith(INHERITED))),
            author=_author(git),
        )


def _top(directory: Path, env: Mapping[str, str]) -> Path:
    """Return the root of the repository around *directory*; outside of any, *directory* itself."""
    command = ("rev-parse", "--is-inside-work-tree", "--show-toplevel")
    finished = Git(directory=directory, env=env).attempt(*command)
    if finished.exit_code == 0:
        return Path(os.fsdecode(finished.out.removesuffix(b"\n").partition(b"\n")[2]))
    if "not a git repository" in finished.err or finished.out.startswith(b"false"):
        return directory
    raise git_error(finished, command, directory)


def _parse_config(raw: bytes) -> tuple[ConfigEntry, ...]:
    """Parse ``git config -z``; a key without a value means true."""
    entries = (os.fsdecode(entry).partition("\n") for entry in raw.split(b"\0")[:-1])
    return tuple(ConfigEntry(key=key, value=value if newline else "true") for key, newline, value in entries)


def _location(name: str, directory: Path, config: tuple[ConfigEntry, ...]) -> tuple[ConfigEntry, ...]:
    """Return the location of *name*: the configured remote of that name, or the URL or path itself."""
    prefix = f"remote.{name}."
    wanted = {prefix + key for key in ("url", "pushurl", "proxy", "proxyauthmethod", "receivepack", "uploadpack")}
    found = tuple(
        ConfigEntry(key="remote.windtunnel." + entry.key.removeprefix(prefix), value=entry.value)
        for entry in config
        if entry.key in wanted
    )
    if any(entry.key == "remote.windtunnel.url" for entry in found):
        return found
    located = bool(name) and not name.startswith("-") and (":" in name or "/" in name or (directory / name).is_dir())
    if not located:
        raise UsageError(
            f"{directory} has no remote {name!r}; add it (git remote add {name} URL), or name another, a URL or a path"
        )
    return (ConfigEntry(key="remote.windtunnel.url", value=name),)


def _author(git: Git) -> str:
    """Return the author of commits: the configured user of git, else Windtunnel."""
    known = git.attempt("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
    if known.exit_code != 0:
        return "Windtunnel <windtunnel@localhost>"
    return os.fsdecode(known.out).rpartition(">")[0] + ">"
