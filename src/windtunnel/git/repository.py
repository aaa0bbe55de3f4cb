"""A repository's history, without changing it: commits, revisions, authors, the work tree, differences of commits."""

import io
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Self

from windtunnel.errors import RemoteError, UsageError
from windtunnel.git.process import Git
from windtunnel.model.identity import CommitHash

HEAD_TARGET = "ref: refs/heads/"
"""Start of the line with which a remote names the branch of its HEAD."""

REMOTE_HEAD_TIMEOUT = 20.0
"""Seconds to wait for the remote's HEAD."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit in the log."""

    hash: CommitHash
    """The full hash."""
    author_date: int
    """Seconds since 1970; not always ascending along the history."""
    subject: str
    """The first line of the message."""
    parent: CommitHash | None
    """The first parent; None at a root and at the edge of a shallow clone."""
    author: str = ""
    """The author's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A branch, here or of a remote, or a tag."""

    name: str
    """The short name, of a branch without the remote."""
    commit: CommitHash
    """The newest commit of the branch, or the tagged one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A git repository; nothing here changes a branch, the index or a file."""

    root: Path
    """Of the work tree; of a bare repository, the repository itself."""
    bare: bool
    """Whether the repository has no work tree."""
    git: Git
    """Runs git in the root."""

    @classmethod
    def at(cls, path: Path, env: Mapping[str, str]) -> Self:
        """Find the repository that contains the folder *path*."""
        outside = Git(directory=path, env=env)
        bare = outside.text("rev-parse", "--is-bare-repository") == "true"
        root = Path(outside.text("rev-parse", "--absolute-git-dir" if bare else "--show-toplevel"))
        return cls(root=root, bare=bare, git=Git(directory=root, env=env))

    def is_shallow(self) -> bool:
        """Return whether the history is incomplete, as after ``actions/checkout`` without ``fetch-depth: 0``."""
        return self.git.text("rev-parse", "--is-shallow-repository") == "true"

    def is_dirty(self) -> bool:
        """Return whether tracked files differ from HEAD; untracked files do not count."""
        return not self.bare and bool(self.git.bytes("status", "--porcelain", "-z", "--untracked-files=no"))

    def commit_work_tree(self) -> CommitHash:
        """Return a commit of the tracked files as they are, whose parent is HEAD; equal files give an equal commit.

        It is only an object: no branch, no index and no stash changes (git-stash(1), create). Raises UsageError where
        files have conflicts.
        """
        date = f"{self.git.text('show', '--no-patch', '--format=%ct', 'HEAD')} +0000"
        author = {f"GIT_{who}_{what}": "windtunnel" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        git = replace(self.git, env={**self.git.env, **author, **dates})
        stashed = git.attempt("stash", "create")
        if stashed.exit_code != 0:
            raise UsageError(
                f"the uncommitted changes cannot be compared: {stashed.err.strip()}; commit them, or name two commits"
            )
        tree = f"{stashed.out.decode().strip() or 'HEAD'}^{{tree}}"
        return CommitHash(git.text("commit-tree", tree, "-p", "HEAD", "-m", "The work tree"))

    def untracked(self) -> tuple[str, ...]:
        """Return the paths, from the root, of files that are neither tracked nor ignored."""
        listed = self.git.bytes("ls-files", "--others", "--exclude-standard", "-z")
        return tuple(listed.decode("utf-8", "surrogateescape").split("\0")[:-1])

    def has_commits(self) -> bool:
        """Return whether any branch or tag has a commit."""
        return bool(self.git.text("rev-list", "--all", "--max-count=1"))

    def resolve(self, revision: str) -> CommitHash:
        """Return the commit that *revision* (branch, tag, hash, ``HEAD~3`` …) names."""
        found = self._object(f"{revision}^{{commit}}") if revision else None
        if found is None:
            raise UsageError(f"{self.root} has no commit {revision!r}; {self._advice()}")
        return CommitHash(found)

    def has(self, revision: str) -> bool:
        """Return whether *revision* exists."""
        return self._object(revision) is not None

    def current_branch(self) -> str | None:
        """Return the branch that is checked out, ``None`` when HEAD is detached."""
        return self._symbolic("HEAD", "refs/heads/")

    def find_branch(self, name: str) -> Reference | None:
        """Return the branch *name*: the local one, else that of the remote origin or upstream; None without any."""
        for prefix in ("refs/heads/", "refs/remotes/origin/", "refs/remotes/upstream/"):
            if name and (found := self._object(f"{prefix}{name}^{{commit}}")):
                return Reference(name=name, commit=CommitHash(found))
        return None

    def measured_branch(self, asked: str | None = None, configured: Sequence[str] = ()) -> Reference:
        """Return the branch *asked* for, else the first *configured* one that exists, else the default branch.

        Raises UsageError if the branch asked for does not exist, or nothing names a default branch.
        """
        if asked:
            if found := self.find_branch(asked):
                return found
            raise UsageError(f"{self.root} has no branch {asked!r}; fetch it (git fetch origin {asked}), or correct it")
        existing = (branch for name in configured if (branch := self.find_branch(name)))
        return next(existing, None) or self.default_branch()

    def default_branch(self) -> Reference:
        """Return the branch that the remote's HEAD names, else main, master or the current branch.

        Raises UsageError where nothing names one. A clone that actions/checkout makes does not have the remote's HEAD,
        so the remote is asked for it.
        """
        known = (
            self.current_branch() if self.bare else self._symbolic("refs/remotes/origin/HEAD", "refs/remotes/origin/")
        )
        names = (known, None if known else self.remote_head(), "main", "master", self.current_branch())
        for name in names:
            if name and (found := self.find_branch(name)):
                return found
        raise UsageError(f"{self.root} has neither main nor master and no branch is checked out; name a branch")

    def remote_head(self) -> str | None:
        """Return the branch that HEAD of the remote origin names; None where the remote does not answer."""
        if self.git.attempt("config", "--get", "remote.origin.url").exit_code != 0:
            return None
        try:
            done = self.git.attempt("ls-remote", "--symref", "origin", "HEAD", timeout=REMOTE_HEAD_TIMEOUT)
        except RemoteError:
            return None
        return parse_symref(done.out)

    def first_parent_log(self, revisions: str, limit: int | None = None) -> tuple[Commit, ...]:
        """Return the commits of a range (``v1..main``) or up to a revision, newest first, along first parents."""
        form = "--format=%H%x00%P%x00%at%x00%an%x00%s"
        count = () if limit is None else (f"--max-count={limit}",)
        command = ("rev-list", "--first-parent", "--encoding=UTF-8", form, *count, "--end-of-options", revisions, "--")
        finished = self.git.attempt(*command)
        if finished.exit_code != 0 or not revisions:
            raise UsageError(f"{self.root} has no commits {revisions!r}; {self._advice()}")
        lines = finished.out.decode("utf-8", "replace").split("\n")
        return tuple(_commit(line) for line in lines[1::2])

    def tags(self) -> tuple[Reference, ...]:
        """Return the tags of commits, oldest first."""
        form = "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname:strip=2)"
        lines = self.git.text("for-each-ref", "--sort=creatordate", form, "refs/tags").splitlines()
        return tuple(tag for line in lines if (tag := self._tag(line)))

    def _tag(self, line: str) -> Reference | None:
        """Return the tag of a commit that *line* lists; None for a tag of a file or folder.

        git before 2.45 lists a tag of a tag with that tag as its target (git's release notes).
        """
        kind, name, target_kind, target, tag = line.split(" ", 4)
        if "commit" in {kind, target_kind}:
            return Reference(name=tag, commit=CommitHash(name if kind == "commit" else target))
        nested = self._object(f"refs/tags/{tag}^{{commit}}") if target_kind == "tag" else None
        return Reference(name=tag, commit=CommitHash(nested)) if nested else None

    def remotes(self) -> tuple[str, ...]:
        """Return the address of each remote."""
        lines = self.git.text("remote", "--verbose").splitlines()
        return tuple(dict.fromkeys(line.partition("\t")[2].rpartition(" ")[0] for line in lines))

    def merge_base(self, one: CommitHash, other: CommitHash) -> CommitHash:
        """Return the newest common ancestor of two commits."""
        finished = self.git.attempt("merge-base", one, other)
        if finished.exit_code != 0:
            raise UsageError(f"{self.root} has no common ancestor of {one} and {other}; {self._advice()}")
        return CommitHash(finished.out.decode().strip())

    def diff_names(self, one: CommitHash, other: CommitHash) -> tuple[str, ...]:
        """Return the paths, from the root, that differ between two commits; a renamed file is two paths."""
        out = self.git.bytes("diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other)
        return tuple(out.decode("utf-8", "surrogateescape").split("\0")[:-1])

    def diff(self, one: CommitHash, other: CommitHash, pattern: str, *options: str) -> str:
        """Return what differs in files whose path matches *pattern*, as text; *options* are those of git diff-tree."""
        call = ("--no-literal-pathspecs", "diff-tree", "-r", "-p", *options, one, other, "--", pattern)
        out = self.git.bytes(*call)
        return out.decode("utf-8", "replace")

    def read(self, commit: CommitHash, path: PurePosixPath) -> bytes | None:
        """Return the bytes of the file *path* at *commit*, ``None`` if the file does not exist.

        Symbolic links are followed inside the repository.
        """
        name = f"{commit}:{path}\n".encode("utf-8", "surrogateescape")
        header, _, content = self.git.bytes("cat-file", "--batch", "--follow-symlinks", stdin=name).partition(b"\n")
        match header.split(b" "):
            case [found, b"blob", size] if b":" not in found:
                return content[: int(size)]
            case _:
                return None

    def sources(self, commit: CommitHash, folders: Sequence[str]) -> dict[str, str]:
        """Return the Python files in *folders* of *commit*, by path from the root; a missing folder has none."""
        existing = [each for each in folders if self.has(f"{commit}:{each}")]
        if not existing:
            return {}
        archive = io.BytesIO(self.git.bytes("archive", "--format=tar", commit, "--", *existing))
        with tarfile.open(fileobj=archive) as found:
            wanted = (each for each in found if each.isfile() and each.name.endswith(".py"))
            files = ((each.name, found.extractfile(each)) for each in wanted)
            return {name: file.read().decode("utf-8", "replace") for name, file in files if file}

    def _object(self, name: str) -> str | None:
        if "\0" in name:
            return None
        finished = self.git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return finished.out.decode().strip() if finished.exit_code == 0 else None

    def _symbolic(self, reference: str, prefix: str) -> str | None:
        finished = self.git.attempt("symbolic-ref", "--quiet", reference)
        if finished.exit_code != 0:
            return None
        return finished.out.decode("utf-8", "surrogateescape").strip().removeprefix(prefix)

    def _advice(self) -> str:
        if not self.has_commits():
            return "it has no commits at all: commit something first"
        if self.is_shallow():
            return "the clone is shallow: fetch the rest (git fetch --unshallow; actions/checkout: fetch-depth: 0)"
        return "list commits with git log --oneline, and fetch what is missing"


def parse_symref(listing: bytes) -> str | None:
    """Return the branch that HEAD names in the output of ``git ls-remote --symref``; None where it names none."""
    target, _, _ = listing.decode("utf-8", "surrogateescape").partition("\t")
    return target.removeprefix(HEAD_TARGET) if target.startswith(HEAD_TARGET) else None


def _commit(line: str) -> Commit:
    name, parents, date, author, subject = line.split("\0", 4)
    first, _, _ = parents.partition(" ")
    return Commit(
        hash=CommitHash(name),
        author_date=int(date or 0),  # empty where the commit object is malformed
        subject=subject,
        author=author,
        parent=CommitHash(first) if first else None,
    )


def read_author(repository: Repository, commit: CommitHash) -> Commit:
    """Return *commit* with its subject and author; they are empty if the commit does not exist."""
    try:
        return repository.first_parent_log(commit, 1)[0]
    except UsageError:
        return Commit(hash=commit, author_date=0, subject="", parent=None)
