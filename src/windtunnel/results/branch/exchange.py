"""Pull and push: a results folder and a results branch each get what the other has, and nothing is removed.

A site can be pushed as well: it replaces its folder on a branch. A file that several jobs change is updated in place.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Generic, TypeVar

from windtunnel import files
from windtunnel.errors import DataError, OutrunError, RemoteBusyError
from windtunnel.files import locked, write_atomically
from windtunnel.formats import Format
from windtunnel.git.branch import Edit, RemoteBranch, Signature
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.listing import EDITED, MAX_FILE_BYTES, FileListing, list_folder, take_snapshot
from windtunnel.results.branch.reconcile import FileChanges, FileMerge, reconcile, write_files
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.tree import BENCHMARKS, RECORDS
from windtunnel.text.numbers import count

T = TypeVar("T")

MAX_LISTED_PATHS = 50
"""Paths in the message of a commit."""

SITE_FILE = "overview.json"
"""Each site has this file in its root, so a folder without it is not a site."""

NO_JEKYLL = ".nojekyll"
"""GitHub Pages serves the files of a branch with this file as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A branch, or a folder, after an update."""

    commit: CommitHash | None
    """The newest commit of the branch; None where there is still no branch."""
    changes: FileChanges
    """The changes that were made; none when everything was there."""


Propose = Callable[[FileListing], tuple[FileChanges, str]]
"""Returns the changes to make to a branch, and the message of the commit; no change makes no commit."""


def update(branch: RemoteBranch, propose: Propose, retry: RetryPolicy) -> Update:
    """Commit what *propose* returns for the newest state of *branch*; a lost race calls *propose* again."""

    def attempt() -> Update:
        snapshot = take_snapshot(branch)
        return _commit(branch, snapshot.commit, *propose(snapshot))

    return _retry(attempt, retry)


def _retry(attempt: Callable[[], Update], retry: RetryPolicy) -> Update:
    try:
        return retry.call(attempt)
    except OutrunError as error:
        raise RemoteBusyError(
            f"{error} (gave up after {retry.timeout:.0f} s; nothing is lost: "
            "run the same command again, or raise --retry-timeout)"
        ) from None


def _commit(branch: RemoteBranch, base: CommitHash | None, changes: FileChanges, message: str) -> Update:
    for path, content in changes.written.items():
        if len(content) > MAX_FILE_BYTES:
            raise DataError(f"{path} would have {len(content)} bytes; at most {MAX_FILE_BYTES} are stored")
    removed = (Edit(path=path, content=None) for path in changes.removed)
    written = (Edit(path=path, content=content) for path, content in changes.written.items())
    signature = Signature(author=branch.remote.author, message=message, time=int(time.time()))
    commit = branch.commit(base, (*removed, *written), signature) if changes.paths else None
    if commit is None:
        return Update(commit=base, changes=replace(changes, written={}, removed=()))
    branch.push(commit)
    return Update(commit=commit, changes=changes)


def push(folder: Path, branch: RemoteBranch, merge: FileMerge, retry: RetryPolicy) -> Update:
    """Add everything of *folder* to *branch*, which is created when missing; the files in EDITED stay."""
    listing = list_folder(folder)
    source = replace(listing, files={path: file for path, file in listing.files.items() if path not in EDITED})
    if not source.files:
        raise DataError(f"{folder} holds no results; run the benchmarks first, or name the folder that does")

    def propose(snapshot: FileListing) -> tuple[FileChanges, str]:
        changes = reconcile(source, snapshot, merge)
        return changes, _message(tuple(changes.written))

    return update(branch, propose, retry)


def pull(branch: RemoteBranch, folder: Path, merge: FileMerge, retry: RetryPolicy) -> Update:
    """Add everything of *branch* to *folder*."""
    with locked(folder):
        snapshot = retry.call(lambda: take_snapshot(branch))
        return Update(commit=snapshot.commit, changes=retry.call(lambda: _add(snapshot, folder, merge)))


def _add(source: FileListing, folder: Path, merge: FileMerge) -> FileChanges:
    changes = reconcile(source, list_folder(folder), merge)
    write_files(folder, changes)
    return changes


def _read_file(snapshot: FileListing, path: str) -> bytes | None:
    """Return the content of the file *path*, None if it does not exist."""
    contents, problems = snapshot.load([path] if path in snapshot.files else [])
    for problem in problems:
        raise DataError(str(problem))
    return contents.get(path)


def edit_file(
    branch: RemoteBranch, path: str, edit: Callable[[bytes | None], bytes | None], retry: RetryPolicy
) -> Update:
    """Change one file of *branch*, such as the alerts.

    *edit* turns the content (None: no such file) into the new one. A lost race calls it again with the newer content.
    """

    def propose(snapshot: FileListing) -> tuple[FileChanges, str]:
        before = _read_file(snapshot, path)
        after = edit(before)
        changes = FileChanges(removed=(path,)) if after is None else FileChanges(written={path: after})
        return FileChanges() if after == before else changes, f"store: {path}"

    return update(branch, propose, retry)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFile(Generic[T]):
    """A file that several jobs change, such as alerts.json; concurrent updates do not get lost."""

    place: RemoteBranch | Path
    """The results branch, which has the file under the name of its format; or the path of a plain file."""
    form: Format[T]
    retry: RetryPolicy

    def read(self) -> T:
        """Return the stored value, an empty one if the file does not exist; raises DataError."""
        if isinstance(self.place, Path):
            return files.read(self.place, self.form) if self.place.exists() else self.form.type()
        branch = self.place
        return self._decode(_read_file(self.retry.call(lambda: take_snapshot(branch)), self.form.name))

    def update(self, change: Callable[[T], T]) -> T:
        """Write what *change* returns for the stored value, and return it.

        *change* is pure: it may be called again with what another job has written in the meantime.
        """
        if isinstance(self.place, Path):
            with locked(self.place.parent):
                before = self.read()
                after = change(before)
                if after != before:
                    write_atomically(self.place, self.form.encode(after))
                return after
        results: list[T] = []

        def edit(content: bytes | None) -> bytes | None:
            before = self._decode(content)
            results.append(change(before))
            return content if results[-1] == before else self.form.encode(results[-1])

        edit_file(self.place, self.form.name, edit, self.retry)
        return results[-1]

    def _decode(self, content: bytes | None) -> T:
        return self.form.type() if content is None else self.form.decode(content, f"{self.form.name} on {self.place}")


def push_site(site: Path, branch: RemoteBranch, folder: str, retry: RetryPolicy) -> Update:
    """Replace *folder* of *branch* by *site*, in one commit; other files stay, and a missing branch is created.

    Raises DataError where *site* is not a site, where *branch* keeps results, or where *folder* holds anything else.
    """
    if not (site / SITE_FILE).is_file():
        raise DataError(f"{site} is not a site; build one with windtunnel publish, then name its folder")
    contents = {
        f"{folder}/{path.relative_to(site).as_posix()}": path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }

    def attempt() -> Update:
        base = branch.fetch()
        if base and any(branch.has(base, name) for name in (BENCHMARKS, RECORDS)):
            raise DataError(f"{branch} keeps results; name another branch for the site (--site-branch)")
        if base and (other := _find_file_above(branch, base, folder)):
            raise DataError(f"{branch} has {other}, which is a file, a link or a submodule; name another folder")
        changes = FileChanges(written=contents if base else {NO_JEKYLL: b"", **contents})
        if base and branch.has(base, folder):
            if not branch.has(base, f"{folder}/{SITE_FILE}"):
                raise DataError(f"{branch} has a folder {folder} that is not a site of windtunnel; name another folder")
            changes = replace(changes, removed=(folder,))
        return _commit(branch, base, changes, f"store: site in {folder}")

    return _retry(attempt, retry)


def _find_file_above(branch: RemoteBranch, commit: CommitHash, folder: str) -> str:
    """Return what is in the place of a folder above *folder*, which a commit would replace; "" for nothing."""
    above = (path.as_posix() for path in PurePosixPath(folder).parents if path.parts)
    return next((path for path in above if branch.has(commit, path) and not branch.has(commit, f"{path}/")), "")


def _message(paths: Sequence[str]) -> str:
    """Return a subject with the number of files and machines, and a body with the paths."""
    machines = {path.partition("/")[0] for path in paths if "/" in path}
    subject = f"store: {count(len(paths), 'file')} of {count(len(machines), 'machine')}"
    more = [f"and {len(paths) - MAX_LISTED_PATHS} more"] if len(paths) > MAX_LISTED_PATHS else []
    return "\n".join([subject, "", *paths[:MAX_LISTED_PATHS], *more])
