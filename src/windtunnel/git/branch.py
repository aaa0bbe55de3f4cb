"""A branch of a remote, read and extended without a clone.

All work happens in a temporary bare repository. The user's repository (work tree, index, HEAD, references, objects,
configuration) is never changed, and a killed process leaves only a temporary folder. A fetch transfers the newest
commit and its trees, then the requested files, so its size does not grow with the history.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from windtunnel.errors import DataError, UsageError
from windtunnel.git.objects import Edit, ObjectHash, Signature, TreeEntry, commit_stream, parse_tree, root_stream
from windtunnel.git.process import Git, GitResult, git_error
from windtunnel.git.remote import (
    NO_DESCRIPTORS,
    ConfigEntry,
    Remote,
    fetch_error,
    is_missing_branch,
    push_error,
    with_config,
)
from windtunnel.model.identity import CommitHash

BASE, NEXT = "refs/windtunnel/base", "refs/windtunnel/next"
DEFAULT_TIMEOUT = 900.0
"""Seconds for one exchange; a history of 300 MB takes minutes on a slow connection."""

OWN_CONFIG = tuple(
    ConfigEntry(key=key, value=value)
    for key, value in (
        ("core.hooksPath", "/dev/null"),
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
        ("protocol.version", "2"),  # allows requests for single objects
        ("push.followTags", "false"),
        ("push.recurseSubmodules", "no"),
    )
)
"""Overrides settings of the user that must not apply to the temporary repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteBranch:
    """A branch of a remote; created by ``open_branch``."""

    name: str
    """The name on the remote; it may not exist yet."""
    remote: Remote
    """The remote."""
    git: Git
    """Runs git with the remote's configuration."""
    folder: Path
    """The temporary repository."""
    timeout: float
    """Seconds for one exchange with the remote."""

    def __str__(self) -> str:
        return f"branch {self.name} of {self.remote.name}"

    def fetch(self) -> CommitHash | None:
        """Fetch the newest commit and its trees and return the commit, None if the branch does not exist."""
        source = f"+refs/heads/{self.name}:{BASE}"
        finished = self._fetch("--depth=1", "--filter=blob:none", "windtunnel", source)
        if finished.exit_code == 0:
            return CommitHash(self._text("rev-parse", "--verify", f"{BASE}^{{commit}}"))
        if is_missing_branch(finished.err):
            return None
        raise fetch_error(finished.err, self.remote.name)

    def folder_entries(self, folders: Sequence[str], limit: int) -> Iterator[tuple[TreeEntry, ...]]:
        """Yield the entries of the trees *folders* (hashes, or ``<commit>:<path>``), each of at most *limit* bytes."""
        for raw in self._objects(folders, limit):
            yield tuple(parse_tree(raw))

    def files(self, wanted: Sequence[ObjectHash], limit: int) -> Iterator[bytes | None]:
        """Yield the contents of *wanted* in order, None for one of more than *limit* bytes.

        Missing ones are fetched together.
        """
        here = set(self._text("cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)").split())
        missing = [name for name in dict.fromkeys(wanted) if name not in here]
        if missing:
            names = "\n".join(missing).encode()
            finished = self._fetch("--filter=blob:none", "--stdin", "windtunnel", stdin=names, noop=True)
            if finished.exit_code != 0:
                raise fetch_error(finished.err, self.remote.name)
        for start in range(0, len(wanted), 100):
            part = wanted[start : start + 100]
            sizes = dict(zip(part, self._sizes(part), strict=True))
            small = [name for name in part if sizes[name] <= limit]
            contents = dict(zip(small, self._contents(small), strict=True))
            yield from (contents.get(name) for name in part)

    def commit(self, base: CommitHash | None, edits: Sequence[Edit], signature: Signature) -> CommitHash | None:
        """Commit *edits* on top of *base* in the temporary repository; return None when they change nothing."""
        self._git("fast-import", "--quiet", "--force", stdin=commit_stream(NEXT, base, edits, signature))
        if base is not None and self._text("rev-parse", f"{NEXT}^{{tree}}") == self._text(
            "rev-parse", f"{base}^{{tree}}"
        ):
            return None
        return CommitHash(self._text("rev-parse", NEXT))

    def has_history(self, commit: CommitHash) -> bool:
        """Return whether *commit* has parents, fetched or not."""
        header, _, _ = self._git("cat-file", "commit", commit).partition(b"\n\n")
        return b"\nparent " in header

    def has(self, commit: CommitHash, path: str) -> bool:
        """Return whether *commit* has a file or folder *path*."""
        name = f"{commit}:{path}"
        return self.git.attempt(*self._here("rev-parse", "--verify", "--quiet", name)).exit_code == 0

    def without_history(self, commit: CommitHash, signature: Signature) -> CommitHash:
        """Return a new commit with the files of *commit* and no parents."""
        tree = self._text("rev-parse", f"{commit}^{{tree}}")
        self._git("fast-import", "--quiet", "--force", stdin=root_stream(NEXT, tree, signature))
        return CommitHash(self._text("rev-parse", NEXT))

    def push(self, commit: CommitHash, target: str | None = None, *, replacing: CommitHash | None = None) -> None:
        """Move the branch (or the branch *target*) to *commit*, a descendant of its current commit.

        With *replacing*, *commit* need not be a descendant, but the branch must still be at *replacing*. Raises
        OutrunError when another push came first.
        """
        reference = f"refs/heads/{target or self.name}"
        lease = () if replacing is None else (f"--force-with-lease={reference}:{replacing}",)
        arguments = ("push", "--porcelain", "--no-verify", *lease, "windtunnel", f"{commit}:{reference}")
        done = self.git.attempt(*self._here(*arguments), timeout=self.timeout)
        if done.exit_code != 0:
            raise push_error(done.out.decode("utf-8", "replace"), done.err, str(self))

    def _objects(self, names: Sequence[str], limit: int) -> Iterator[bytes]:
        for size, name in zip(self._sizes(names), names, strict=True):
            if size > limit:
                raise DataError(
                    f"{self} holds an object of {size} bytes ({name}); at most {limit} are read: remove it there"
                )
        yield from self._contents(names)

    def _sizes(self, names: Sequence[str]) -> Iterator[int]:
        listing = self._git("cat-file", "--batch-check=%(objectsize)", stdin="\n".join(names).encode())
        for size, name in zip(listing.decode().splitlines(), names, strict=True):
            if not size.isdigit():
                raise DataError(f"{self} has no {name.partition(':')[2] or name}; check what the branch holds")
            yield int(size)

    def _contents(self, names: Sequence[str]) -> Iterator[bytes]:
        out = self._git("cat-file", "--batch=%(objectsize)", stdin="\n".join(names).encode())
        at = 0
        for _ in names:
            start = out.index(b"\n", at) + 1
            at = start + int(out[at : start - 1])
            yield out[start:at]
            at += 1

    def _fetch(self, *arguments: str, stdin: bytes = b"", noop: bool = False) -> GitResult:
        algorithm = ("-c", "fetch.negotiationAlgorithm=noop") if noop else ()
        command = (*algorithm, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", *arguments)
        return self.git.attempt(*self._here(*command), stdin=stdin, timeout=self.timeout)

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        finished = self.git.attempt(*self._here(*arguments), stdin=stdin)
        if finished.exit_code != 0:
            raise git_error(finished, arguments, self.folder)
        return finished.out

    def _text(self, *arguments: str) -> str:
        return self._git(*arguments).decode().strip()

    def _here(self, *arguments: str) -> tuple[str, ...]:
        return (f"--git-dir={self.folder}", *arguments)


@contextmanager
def open_branch(
    name: str, remote: Remote, env: Mapping[str, str], timeout: float = DEFAULT_TIMEOUT
) -> Iterator[RemoteBranch]:
    """Yield a branch to work on; afterwards everything that was not pushed is discarded."""
    git = Git(directory=remote.directory, env=with_config((*remote.config, *OWN_CONFIG, NO_DESCRIPTORS), env))
    if name.startswith("-") or git.attempt("check-ref-format", f"refs/heads/{name}").exit_code != 0:
        raise UsageError(f"{name!r} is not a valid branch name; set results-branch in [tool.windtunnel] to another")
    with TemporaryDirectory(prefix="windtunnel-store-", ignore_cleanup_errors=True) as folder:
        git.bytes("init", "--quiet", "--bare", "--template=", "--object-format=sha1", folder)
        yield RemoteBranch(name=name, remote=remote, git=git, folder=Path(folder), timeout=timeout)
