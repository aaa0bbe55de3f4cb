"""Makes a results branch smaller: drops the samples of old commits, and squashes its history."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from windtunnel.asv.results_format.run_file import decode_run, encode_run
from windtunnel.errors import DataError, OutrunError, RemoteBusyError, RemoteError
from windtunnel.git.branch import Edit, RemoteBranch, Signature
from windtunnel.model.identity import CommitHash, Instant
from windtunnel.model.result import Measured, Result, Row
from windtunnel.results.branch.exchange import BranchUpdate, ProposedCommit, update
from windtunnel.results.branch.layout import is_run_file
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import BranchSnapshot, take_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSizes:
    """Uncompressed bytes of the results."""

    files: int
    """How many files there are."""
    before: int
    """Bytes before."""
    after: int
    """Bytes after."""
    stripped: int = 0
    """How many files lost samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactResult:
    """What dropping samples changed."""

    updated: BranchUpdate
    """The branch afterwards."""
    sizes: StoredSizes
    """The bytes saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _DatedFile:
    """A file and the commit that it is about."""

    size: int
    commit: CommitHash | None
    """None for a broken file and one without results."""
    date: Instant


def drop_samples(branch: RemoteBranch, keep: int, retry: RetryPolicy) -> CompactResult:
    """Drop the samples of all commits on *branch* but the newest *keep*, by author date; their statistics stay."""
    sizes = StoredSizes(files=0, before=0, after=0)

    def propose(snapshot: BranchSnapshot) -> ProposedCommit:
        nonlocal sizes
        proposed, sizes = _propose(snapshot, branch, keep)
        return proposed

    return CompactResult(updated=update(branch, propose, retry), sizes=sizes)


def _propose(snapshot: BranchSnapshot, branch: RemoteBranch, keep: int) -> tuple[ProposedCommit, StoredSizes]:
    """Return the edits that drop the samples, and what they save."""
    listing = snapshot.listing(branch)
    contents = listing.read(listing.files)
    dated = [_dated(file.path, content or b"") for file, content in zip(listing.files, contents, strict=True)]
    old = set(_commits(dated)[keep:])
    chosen = [(file, date) for file, date in zip(listing.files, dated, strict=True) if date.commit in old]
    edits, saved = list[Edit](), 0
    for (file, date), content in zip(chosen, listing.read([file for file, _ in chosen]), strict=True):
        smaller = None if content is None else _without_samples(content)
        if smaller is not None:
            edits.append(Edit(path=file.path, content=smaller))
            saved += date.size - len(smaller)
    before = sum(date.size for date in dated)
    message = f"store: samples of the newest {keep} commits only\n\n{len(edits)} files lose theirs"
    found = StoredSizes(files=len(dated), before=before, after=before - saved, stripped=len(edits))
    return ProposedCommit(edits=tuple(edits), message=message), found


def _dated(path: str, content: bytes) -> _DatedFile:
    run = decode_run(content, path).value if is_run_file(path) else None
    return _DatedFile(size=len(content), commit=run.commit if run else None, date=run.date if run else Instant(0))


def _commits(dated: Sequence[_DatedFile]) -> tuple[CommitHash, ...]:
    """Return the commits, newest first; of two dates of one commit the later counts."""
    latest = dict[CommitHash, Instant]()
    for file in dated:
        if file.commit is not None:
            latest[file.commit] = max(file.date, latest.get(file.commit, file.date))
    return tuple(sorted(latest, key=lambda commit: (latest[commit], commit), reverse=True))


def _without_samples(content: bytes) -> bytes | None:
    """Return a results file without samples; None when it has none, or when rewriting it would lose something."""
    decoded = decode_run(content, "")
    if decoded.value is None or decoded.problems:
        return None
    run = decoded.value
    smaller = replace(run, rows=tuple(map(_strip_row, run.rows)), superseded=tuple(map(_strip_row, run.superseded)))
    return None if smaller == run else encode_run(smaller)


def _strip_row(row: Row) -> Row:
    return replace(row, results=tuple(map(_strip_result, row.results)))


def _strip_result(result: Result) -> Result:
    return replace(result, samples=None, process_sizes=None) if isinstance(result, Measured) else result


@dataclass(frozen=True, slots=True, kw_only=True)
class SquashResult:
    """The branch after a squash."""

    commit: CommitHash
    """Its only commit."""
    archive: str | None
    """The branch that keeps the history before; None where there was no history."""


def squash(branch: RemoteBranch, retry: RetryPolicy, now: Callable[[], float] = time.time) -> SquashResult:
    """Replace the history of *branch* by one commit with the same files.

    First the current commit gets a second branch, ``<branch>-until-<commit>``. Then *branch* moves to a commit with the
    same files and no parents; the remote accepts that only while *branch* is still at the commit that was archived. A
    concurrent push is never lost: one that comes in between starts the squash again, one that comes later finds that
    the branch moved and merges. The remote frees no space until someone deletes the archive; Windtunnel never does.
    """
    try:
        return retry.call(lambda: _attempt(branch, int(now())), max_failures=1)
    except OutrunError:
        raise RemoteBusyError(f"other pushes kept moving {branch}; nothing has changed: try later") from None


def _attempt(branch: RemoteBranch, now: int) -> SquashResult:
    old = take_snapshot(branch).commit
    if old is None:
        raise DataError(f"there is no {branch} yet: nothing to squash")
    if not branch.has_history(old):
        return SquashResult(commit=old, archive=None)
    archive = f"{branch.name}-until-{old[:8]}"
    try:
        branch.push(old, archive)
    except OutrunError:
        raise RemoteError(f"{branch.remote.name} has another branch {archive} already; rename or delete it") from None
    message = f"store: results, the history before is on {archive}"
    fresh = branch.without_history(old, Signature(author=branch.remote.author, message=message, time=now))
    branch.push(fresh, replacing=old)
    return SquashResult(commit=fresh, archive=archive)
