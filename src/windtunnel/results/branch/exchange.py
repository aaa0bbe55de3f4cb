"""Pull and push: a results folder and a results branch each get what the other has; only old reach maps are removed.

A site can be pushed as well: it replaces its folder on a branch. A file that several jobs change is updated in place.
Samples of old commits can be dropped, so that the branch gets smaller.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Generic, TypeVar

from windtunnel import files
from windtunnel.asv.results_format.files import decode_run, encode_run
from windtunnel.errors import DataError, OutrunError, RemoteBusyError
from windtunnel.files import locked, write_atomically
from windtunnel.formats import Format
from windtunnel.git.branch import RemoteBranch
from windtunnel.model.identity import CommitHash, Instant
from windtunnel.model.run import Measured, Row
from windtunnel.results.branch.listing import (
    EDITED,
    MAX_FILE_BYTES,
    FileListing,
    is_run_file,
    list_folder,
    take_snapshot,
)
from windtunnel.results.branch.reconcile import FileChanges, reconcile, write_files
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


Propose = Callable[[FileListing], tuple[FileChanges, str]]
"""Returns the changes to make to a branch, and the message of the commit; no change makes no commit."""


def update(branch: RemoteBranch, propose: Propose, retry: RetryPolicy) -> FileChanges:
    """Commit what *propose* returns for the newest state of *branch*; a lost race calls *propose* again."""

    def attempt() -> FileChanges:
        snapshot = take_snapshot(branch)
        return _commit(branch, snapshot.commit, *propose(snapshot))

    return _retry(attempt, retry)


def _retry(attempt: Callable[[], FileChanges], retry: RetryPolicy) -> FileChanges:
    try:
        return retry.call(attempt)
    except OutrunError as error:
        raise RemoteBusyError(
            f"{error} (gave up after {retry.timeout:.0f} s; nothing is lost: "
            "run the same command again, or raise --retry-timeout)"
        ) from None


def _commit(branch: RemoteBranch, base: CommitHash | None, changes: FileChanges, message: str) -> FileChanges:
    for path, content in changes.written.items():
        if len(content) > MAX_FILE_BYTES:
            raise DataError(f"{path} would have {len(content)} bytes; at most {MAX_FILE_BYTES} are stored")
    edits = {**dict.fromkeys(changes.removed), **changes.written}
    commit = branch.commit(base, edits, message, int(time.time())) if changes.paths else None
    if commit is None:
        return replace(changes, written={}, removed=(), commit=base)
    branch.push(commit)
    return replace(changes, commit=commit)


def push(folder: Path, branch: RemoteBranch, retry: RetryPolicy) -> FileChanges:
    """Add everything of *folder* to *branch*, which is created when missing; the files in EDITED stay."""
    listing = list_folder(folder)
    source = replace(listing, files={path: file for path, file in listing.files.items() if path not in EDITED})
    if not source.files:
        raise DataError(f"{folder} holds no results; run the benchmarks first, or name the folder that does")

    def propose(snapshot: FileListing) -> tuple[FileChanges, str]:
        changes = reconcile(source, snapshot)
        return changes, _message(tuple(changes.written))

    return update(branch, propose, retry)


def pull(branch: RemoteBranch, folder: Path, retry: RetryPolicy) -> FileChanges:
    """Add everything of *branch* to *folder*."""
    with locked(folder):
        snapshot = retry.call(lambda: take_snapshot(branch))
        changes = retry.call(lambda: reconcile(snapshot, list_folder(folder)))
        write_files(folder, changes)
        return replace(changes, commit=snapshot.commit)


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
        return self._stored(self.retry.call(lambda: take_snapshot(branch)))

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

        def propose(snapshot: FileListing) -> tuple[FileChanges, str]:
            before = self._stored(snapshot)
            results.append(change(before))
            written = {} if results[-1] == before else {self.form.name: self.form.encode(results[-1])}
            return FileChanges(written=written), f"store: {self.form.name}"

        update(self.place, propose, self.retry)
        return results[-1]

    def _stored(self, snapshot: FileListing) -> T:
        name = self.form.name
        contents, problems = snapshot.load([name] if name in snapshot.files else [])
        for problem in problems:
            raise DataError(str(problem))
        return self.form.decode(contents[name], f"{name} on {self.place}") if contents else self.form.type()


def push_site(site: Path, branch: RemoteBranch, folder: str, retry: RetryPolicy) -> FileChanges:
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

    def attempt() -> FileChanges:
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


def drop_samples(branch: RemoteBranch, keep: int, retry: RetryPolicy) -> FileChanges:
    """Drop the samples of all commits on *branch* but the newest *keep*, by author date; their statistics stay.

    The note of the changes has the sizes of the results.
    """

    def propose(snapshot: FileListing) -> tuple[FileChanges, str]:
        changes = _without_old_samples(snapshot, keep)
        message = f"store: samples of the newest {keep} commits only\n\n{len(changes.written)} files lose theirs"
        return changes, message

    return update(branch, propose, retry)


def _without_old_samples(snapshot: FileListing, keep: int) -> FileChanges:
    sizes, commits = dict[str, int](), dict[str, CommitHash]()
    dates = dict[CommitHash, Instant]()
    for path, content in zip(snapshot.files, snapshot.read(snapshot.files), strict=True):
        sizes[path] = len(content or b"")
        run = decode_run(content or b"", path).value if is_run_file(path) else None
        if run is not None:
            commits[path] = run.commit
            dates[run.commit] = max(run.date, dates.get(run.commit, run.date))
    kept = set(sorted(dates, key=lambda commit: (dates[commit], commit), reverse=True)[:keep])
    old = [path for path, commit in commits.items() if commit not in kept]
    found = ((path, _without_samples(content or b"")) for path, content in zip(old, snapshot.read(old), strict=True))
    smaller = {path: content for path, content in found if content is not None}
    before, saved = sum(sizes.values()), sum(sizes[path] - len(content) for path, content in smaller.items())
    note = (
        f"{count(len(sizes), 'file')}, {before} bytes before, {before - saved} bytes after; "
        f"{count(len(smaller), 'file')} lost samples"
    )
    return FileChanges(written=smaller, notes=(note,))


def _without_samples(content: bytes) -> bytes | None:
    """Return a results file without samples; None when it has none, or when rewriting it would lose something."""
    decoded = decode_run(content, "")
    if decoded.value is None or decoded.problems:
        return None
    run = decoded.value
    smaller = replace(run, rows=tuple(map(_strip_row, run.rows)), superseded=tuple(map(_strip_row, run.superseded)))
    return None if smaller == run else encode_run(smaller)


def _strip_row(row: Row) -> Row:
    results = (
        replace(each, samples=None, process_sizes=None) if isinstance(each, Measured) else each for each in row.results
    )
    return replace(row, results=tuple(results))
