"""A branch of a remote, read and extended without a clone.

The work happens in a throw-away bare repository, so that the user's own (work tree, index, HEAD, references, objects,
configuration) is never touched, and so that a killed process leaves a temporary folder and nothing else. Fetched are
the newest commit and its trees, then the files that are asked for: what moves does not grow with the history.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from windtunnel.errors import DataError, UsageError
from windtunnel.git.objects import Edit, Entry, ObjectHash, Signature, commit_stream, entries, root_stream
from windtunnel.git.process import Finished, Git, failure
from windtunnel.git.remote import Remote, Setting, environment, fetch_refusal, no_such_branch, push_refusal
from windtunnel.model.identity import CommitHash

BASE, NEXT = "refs/windtunnel/base", "refs/windtunnel/next"
ANSWER_WITHIN = 900.0
"""Seconds; a whole history of 300 MB takes minutes on a slow line."""

QUIET = tuple(
    Setting(key=key, value=value)
    for key, value in (
        ("core.hooksPath", "/dev/null"),
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
        ("protocol.version", "2"),  # lets any object be asked for by name
        ("push.followTags", "false"),
        ("push.recurseSubmodules", "no"),
    )
)
"""What a user may have set for their own repositories and must not happen in ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The branch *name* of *remote*; made by ``open_branch``."""

    name: str
    remote: Remote
    git: Git
    folder: Path
    answer_within: float
    """Seconds for one exchange with the remote."""

    def __str__(self) -> str:
        return f"branch {self.name} of {self.remote.name}"

    def fetch(self) -> CommitHash | None:
        """Return the newest commit, with its trees at hand; ``None`` when there is no such branch."""
        source = f"+refs/heads/{self.name}:{BASE}"
        finished = self._fetch("--depth=1", "--filter=blob:none", "windtunnel", source)
        if finished.exit_code == 0:
            return CommitHash(self._text("rev-parse", "--verify", f"{BASE}^{{commit}}"))
        if no_such_branch(finished.err):
            return None
        raise fetch_refusal(finished.err, self.remote.name)

    def folder_entries(self, folders: Sequence[str], limit: int) -> Iterator[tuple[Entry, ...]]:
        """Read the trees *folders* (hashes, or ``<commit>^{tree}``), each of at most *limit* bytes."""
        for raw in self._objects(folders, limit):
            yield tuple(entries(raw))

    def files(self, wanted: Sequence[ObjectHash], limit: int) -> Iterator[bytes]:
        """Read files in the order asked, fetching in one go those that are not here; none may exceed *limit* bytes."""
        here = set(self._text("cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)").split())
        missing = [name for name in dict.fromkeys(wanted) if name not in here]
        if missing:
            names = "\n".join(missing).encode()
            finished = self._fetch("--filter=blob:none", "--stdin", "windtunnel", stdin=names, noop=True)
            if finished.exit_code != 0:
                raise fetch_refusal(finished.err, self.remote.name)
        for start in range(0, len(wanted), 100):
            yield from self._objects(wanted[start : start + 100], limit)

    def commit(self, base: CommitHash | None, edits: Sequence[Edit], signature: Signature) -> CommitHash | None:
        """Make a commit upon *base*, which stays here until it is pushed; ``None`` when it would change nothing."""
        self._git("fast-import", "--quiet", "--force", stdin=commit_stream(NEXT, base, edits, signature))
        if base is not None and self._text("rev-parse", f"{NEXT}^{{tree}}") == self._text(
            "rev-parse", f"{base}^{{tree}}"
        ):
            return None
        return CommitHash(self._text("rev-parse", NEXT))

    def has_history(self, commit: CommitHash) -> bool:
        """Tell whether *commit* has parents, fetched or not."""
        header, _, _ = self._git("cat-file", "commit", commit).partition(b"\n\n")
        return b"\nparent " in header

    def without_history(self, commit: CommitHash, signature: Signature) -> CommitHash:
        """Make a commit that holds what *commit* holds, and has no parents."""
        tree = self._text("rev-parse", f"{commit}^{{tree}}")
        self._git("fast-import", "--quiet", "--force", stdin=root_stream(NEXT, tree, signature))
        return CommitHash(self._text("rev-parse", NEXT))

    def push(self, commit: CommitHash, target: str | None = None, *, replacing: CommitHash | None = None) -> None:
        """Move the branch (or the branch *target*) to *commit*, which must descend from what is there.

        With *replacing*, it need not, yet the branch moves only if it still is at that very commit. Raises OutrunError
        when another push came first.
        """
        reference = f"refs/heads/{target or self.name}"
        lease = () if replacing is None else (f"--force-with-lease={reference}:{replacing}",)
        arguments = ("push", "--porcelain", "--no-verify", *lease, "windtunnel", f"{commit}:{reference}")
        done = self.git.attempt(*self._here(*arguments), timeout=self.answer_within)
        if done.exit_code != 0:
            raise push_refusal(done.out.decode("utf-8", "replace"), done.err, str(self))

    def _objects(self, names: Sequence[str], limit: int) -> Iterator[bytes]:
        listing = self._git("cat-file", "--batch-check=%(objectsize)", stdin="\n".join(names).encode())
        for size, name in zip(listing.decode().splitlines(), names, strict=True):
            if not size.isdigit():
                raise DataError(f"{self} has no {name.partition(':')[2] or name}; see what it holds, and name that")
            if int(size) > limit:
                raise DataError(
                    f"{self} holds an object of {size} bytes ({name}); at most {limit} are read: remove it there"
                )
        out = self._git("cat-file", "--batch=%(objectsize)", stdin="\n".join(names).encode())
        at = 0
        for _ in names:
            start = out.index(b"\n", at) + 1
            at = start + int(out[at : start - 1])
            yield out[start:at]
            at += 1

    def _fetch(self, *arguments: str, stdin: bytes = b"", noop: bool = False) -> Finished:
        algorithm = ("-c", "fetch.negotiationAlgorithm=noop") if noop else ()
        command = (*algorithm, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", *arguments)
        return self.git.attempt(*self._here(*command), stdin=stdin, timeout=self.answer_within)

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        finished = self.git.attempt(*self._here(*arguments), stdin=stdin)
        if finished.exit_code != 0:
            raise failure(finished, arguments, self.folder)
        return finished.out

    def _text(self, *arguments: str) -> str:
        return self._git(*arguments).decode().strip()

    def _here(self, *arguments: str) -> tuple[str, ...]:
        return (f"--git-dir={self.folder}", *arguments)


@contextmanager
def open_branch(
    name: str, remote: Remote, env: Mapping[str, str], answer_within: float = ANSWER_WITHIN
) -> Iterator[Branch]:
    """Lend a branch to work on; what was fetched and not pushed is gone afterwards."""
    git = Git(directory=remote.directory, env=environment((*remote.settings, *QUIET), env))
    if name.startswith("-") or git.attempt("check-ref-format", f"refs/heads/{name}").exit_code != 0:
        raise UsageError(f"{name!r} cannot be a branch's name; set results-branch in [tool.windtunnel] to another")
    with TemporaryDirectory(prefix="windtunnel-store-", ignore_cleanup_errors=True) as folder:
        git.bytes("init", "--quiet", "--bare", "--template=", "--object-format=sha1", folder)
        yield Branch(name=name, remote=remote, git=git, folder=Path(folder), answer_within=answer_within)
