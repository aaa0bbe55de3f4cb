"""Pull and push: a results folder and a results branch each get what the other has, and nothing is removed.

A site can be pushed as well: it replaces its folder on a branch.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from windtunnel.errors import DataError, OutrunError, RemoteBusyError
from windtunnel.files import locked
from windtunnel.git.branch import Edit, RemoteBranch, Signature
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.layout import EDITED, MAX_FILE_BYTES
from windtunnel.results.branch.reconcile import FileChanges, FileMerge, reconcile
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import BranchSnapshot, FileListing, ResultsFolder, take_snapshot
from windtunnel.results.tree import BENCHMARKS, RECORDS
from windtunnel.text.numbers import count

MAX_LISTED_PATHS = 50
"""Paths in the message of a commit."""

SITE_FILE = "overview.json"
"""Each site has this file in its root, so a folder without it is not a site."""

NO_JEKYLL = ".nojekyll"
"""GitHub Pages serves the files of a branch with this file as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedCommit:
    """A commit to make on a results branch."""

    edits: tuple[Edit, ...]
    """None make no commit."""
    message: str
    """The commit message."""
    notes: tuple[str, ...] = ()
    """Broken files and conflicts."""
    broken_source: bool = False
    """Whether part of the source could not be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchUpdate:
    """The branch after an update."""

    commit: CommitHash | None
    """The newest commit; None where there is still no branch."""
    changed: tuple[str, ...]
    """Paths; empty when the branch already held everything."""
    notes: tuple[str, ...]
    """Broken files and conflicts."""
    broken_source: bool = False
    """Whether part of the source could not be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullResult:
    """What a pull changed in the folder."""

    commit: CommitHash | None
    """None before the branch exists."""
    changes: FileChanges
    """The changes that were made."""


Propose = Callable[[BranchSnapshot], ProposedCommit]


def update(
    branch: RemoteBranch, propose: Propose, retry: RetryPolicy, now: Callable[[], float] = time.time
) -> BranchUpdate:
    """Commit what *propose* returns for the newest state of *branch*; a lost race calls *propose* again."""

    def attempt() -> BranchUpdate:
        snapshot = take_snapshot(branch)
        return _commit(branch, snapshot.commit, propose(snapshot), int(now()))

    return _retry(attempt, retry)


def _retry(attempt: Callable[[], BranchUpdate], retry: RetryPolicy) -> BranchUpdate:
    try:
        return retry.call(attempt)
    except OutrunError as error:
        raise RemoteBusyError(
            f"{error} (gave up after {retry.timeout:.0f} s; nothing is lost: "
            "run the same command again, or raise --retry-timeout)"
        ) from None


def _commit(branch: RemoteBranch, base: CommitHash | None, proposed: ProposedCommit, now: int) -> BranchUpdate:
    for edit in proposed.edits:
        if edit.content is not None and len(edit.content) > MAX_FILE_BYTES:
            raise DataError(f"{edit.path} would have {len(edit.content)} bytes; at most {MAX_FILE_BYTES} are stored")
    signature = Signature(author=branch.remote.author, message=proposed.message, time=now)
    commit = branch.commit(base, proposed.edits, signature) if proposed.edits else None
    if commit is None:
        return BranchUpdate(commit=base, changed=(), notes=proposed.notes, broken_source=proposed.broken_source)
    branch.push(commit)
    return BranchUpdate(
        commit=commit,
        changed=tuple(edit.path for edit in proposed.edits),
        notes=proposed.notes,
        broken_source=proposed.broken_source,
    )


def push(folder: ResultsFolder, branch: RemoteBranch, merge: FileMerge, retry: RetryPolicy) -> BranchUpdate:
    """Add everything of *folder* to *branch*, which is created when missing; the files in EDITED stay."""
    listing = folder.listing()
    source = replace(listing, files=tuple(file for file in listing.files if file.path not in EDITED))
    if not source.files:
        raise DataError(f"{folder.root} holds no results; run the benchmarks first, or name the folder that does")

    def propose(snapshot: BranchSnapshot) -> ProposedCommit:
        changes = reconcile(source, snapshot.listing(branch), merge)
        removed = (Edit(path=path, content=None) for path in changes.removed)
        written = (Edit(path=file.path, content=file.content) for file in changes.written)
        return ProposedCommit(
            edits=(*removed, *written),
            message=_message(changes),
            notes=changes.notes,
            broken_source=changes.broken_source,
        )

    return update(branch, propose, retry)


def pull(
    branch: RemoteBranch, folder: ResultsFolder, merge: FileMerge, retry: RetryPolicy, path: str = ""
) -> PullResult:
    """Add everything of *branch*, or of its folder *path*, to *folder*."""
    with locked(folder.root):
        snapshot = retry.call(lambda: take_snapshot(branch, path))
        changes = retry.call(lambda: _add(snapshot.listing(branch), folder, merge))
    return PullResult(commit=snapshot.commit, changes=changes)


def add(source: ResultsFolder, folder: ResultsFolder, merge: FileMerge) -> FileChanges:
    """Add everything of *source* to *folder*."""
    with locked(folder.root):
        return _add(source.listing(), folder, merge)


def read_file(branch: RemoteBranch, snapshot: BranchSnapshot, path: str) -> bytes | None:
    """Return the content of the file *path* in *snapshot*, None if the file does not exist."""
    files = [file for file in snapshot.files if file.path == path]
    loaded, problems = snapshot.listing(branch).load(files)
    for problem in problems:
        raise DataError(str(problem))
    return loaded[0].content if loaded else None


def edit_file(
    branch: RemoteBranch, path: str, edit: Callable[[bytes | None], bytes | None], retry: RetryPolicy
) -> BranchUpdate:
    """Change one file of *branch*, such as the alerts.

    *edit* turns the content (None: no such file) into the new one. A lost race calls it again with the newer content.
    """

    def propose(snapshot: BranchSnapshot) -> ProposedCommit:
        before = read_file(branch, snapshot, path)
        after = edit(before)
        edits = () if after == before else (Edit(path=path, content=after),)
        return ProposedCommit(edits=edits, message=f"store: {path}")

    return update(branch, propose, retry)


def push_site(site: Path, branch: RemoteBranch, folder: str, retry: RetryPolicy) -> BranchUpdate:
    """Replace *folder* of *branch* by *site*, in one commit; other files stay, and a missing branch is created.

    Raises DataError where *site* is not a site, where *branch* keeps results, or where *folder* holds anything else.
    """
    if not (site / SITE_FILE).is_file():
        raise DataError(f"{site} is not a site; build one with windtunnel publish, then name its folder")
    files = tuple(
        Edit(path=f"{folder}/{path.relative_to(site).as_posix()}", content=path.read_bytes())
        for path in sorted(site.rglob("*"))
        if path.is_file() and not path.is_symlink()
    )

    def attempt() -> BranchUpdate:
        base = branch.fetch()
        if base and any(branch.has(base, name) for name in (BENCHMARKS, RECORDS)):
            raise DataError(f"{branch} keeps results; name another branch for the site (--site-branch)")
        if base and (other := _find_file_above(branch, base, folder)):
            raise DataError(f"{branch} has {other}, which is a file, a link or a submodule; name another folder")
        before: tuple[Edit, ...] = () if base else (Edit(path=NO_JEKYLL, content=b""),)
        if base and branch.has(base, folder):
            if not branch.has(base, f"{folder}/{SITE_FILE}"):
                raise DataError(f"{branch} has a folder {folder} that is not a site of windtunnel; name another folder")
            before = (Edit(path=folder, content=None),)
        proposed = ProposedCommit(edits=(*before, *files), message=f"store: site in {folder}")
        return _commit(branch, base, proposed, int(time.time()))

    return _retry(attempt, retry)


def _find_file_above(branch: RemoteBranch, commit: CommitHash, folder: str) -> str:
    """Return what is in the place of a folder above *folder*, which a commit would replace; "" for nothing."""
    above = (path.as_posix() for path in PurePosixPath(folder).parents if path.parts)
    return next((path for path in above if branch.has(commit, path) and not branch.has(commit, f"{path}/")), "")


def _add(source: FileListing, folder: ResultsFolder, merge: FileMerge) -> FileChanges:
    changes = reconcile(source, folder.listing(), merge)
    folder.write(changes.written)
    folder.remove(changes.removed)
    return changes


def _message(changes: FileChanges) -> str:
    """Return a subject with the number of files and machines, and a body with the paths."""
    paths = [file.path for file in changes.written]
    machines = {path.partition("/")[0] for path in paths if "/" in path}
    subject = f"store: {count(len(paths), 'file')} of {count(len(machines), 'machine')}"
    more = [f"and {len(paths) - MAX_LISTED_PATHS} more"] if len(paths) > MAX_LISTED_PATHS else []
    return "\n".join([subject, "", *paths[:MAX_LISTED_PATHS], *more])
