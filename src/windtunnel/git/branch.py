"""A branch of a remote, read and extended without a clone, and its objects: commits and trees.

All work happens in a temporary bare repository. The user's repository (work tree, index, HEAD, references, objects,
configuration) is never changed, and a killed process leaves only a temporary folder. A fetch transfers the newest
commit and its trees, then the requested files, so its size does not grow with the history.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NewType

from windtunnel.errors import DataError, UsageError
from windtunnel.git.process import ConfigEntry, Git, GitResult, git_error, with_config
from windtunnel.git.remote import NO_DESCRIPTORS, Remote, fetch_error, is_missing_branch, push_error
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


Edits = Mapping[str, bytes | None]
"""New contents of files of a branch by their paths from the root; None removes the file."""


def commit_stream(reference: str, base: str | None, edits: Edits, committer: str, message: str) -> bytes:
    """Return the stream that commits *edits* on top of *base* (None: no parent) and moves *reference* to it.

    *committer* is ``Name <e-mail> SECONDS +0000``.
    """
    head = f"feature done\nreset {reference}\ncommit {reference}\ncommitter {committer}\n"
    parts = [_text(head), _data(_text(message)), b"" if base is None else f"from {base}\n".encode()]
    for path, content in edits.items():
        if content is None:
            parts.append(b"D " + quote_path(path) + b"\n")
        else:
            parts += b"M 100644 inline " + quote_path(path) + b"\n", _data(content)
    return b"".join((*parts, b"done\n"))


def quote_path(path: str) -> bytes:
    """Return *path* in git's quoting, so that no name is parsed as a command."""
    plain = _text(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + plain + b'"'


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


ObjectHash = NewType("ObjectHash", str)
"""The hash that git computes from the content of an object."""


ObjectKind = Literal["file", "folder", "symbolic link", "submodule", "unknown"]
"""The kind of a tree entry, by its mode."""


MODES: Mapping[bytes, ObjectKind] = {
    b"100644": "file",
    b"100664": "file",  # written by early versions of git
    b"100755": "file",
    b"40000": "folder",
    b"120000": "symbolic link",
    b"160000": "submodule",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """One entry of a tree object."""

    name: bytes
    """The file name, unchecked."""
    kind: ObjectKind
    """The kind, by its mode."""
    object: ObjectHash
    """The content."""


def parse_tree(tree: bytes) -> Iterator[TreeEntry]:
    """Yield the entries of a tree object; each is mode, space, name, NUL and 20 bytes of hash."""
    at = 0
    while at < len(tree):
        space = tree.find(b" ", at)
        end = tree.find(b"\0", at)
        if not at < space < end or end + 21 > len(tree):
            raise DataError("a folder of the branch is not a git tree; the remote is broken: run git fsck there")
        yield TreeEntry(
            name=tree[space + 1 : end],
            kind=MODES.get(tree[at:space], "unknown"),
            object=ObjectHash(tree[end + 1 : end + 21].hex()),
        )
        at = end + 21


def blob_hash(content: bytes) -> ObjectHash:
    """Return the hash that git gives to a file with *content*."""
    return ObjectHash(sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest())


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

    def commit(self, base: CommitHash | None, edits: Edits, message: str, now: int) -> CommitHash | None:
        """Commit *edits* on top of *base* in the temporary repository; return None when they change nothing.

        *now* is in seconds since 1970.
        """
        stream = commit_stream(NEXT, base, edits, f"{self.remote.author} {now} +0000", message)
        self._git("fast-import", "--quiet", "--force", stdin=stream)
        if base is not None and self._text("rev-parse", f"{NEXT}^{{tree}}") == self._text(
            "rev-parse", f"{base}^{{tree}}"
        ):
            return None
        return CommitHash(self._text("rev-parse", NEXT))

    def has(self, commit: CommitHash, path: str) -> bool:
        """Return whether *commit* has a file or folder *path*."""
        name = f"{commit}:{path}"
        return self.git.attempt(*self._here("rev-parse", "--verify", "--quiet", name)).exit_code == 0

    def push(self, commit: CommitHash) -> None:
        """Move the branch to *commit*, a descendant of its own; raises OutrunError if another push came first."""
        arguments = ("push", "--porcelain", "--no-verify", "windtunnel", f"{commit}:refs/heads/{self.name}")
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
