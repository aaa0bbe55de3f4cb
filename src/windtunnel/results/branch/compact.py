"""Compacting: the samples of old commits go and their statistics stay."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from windtunnel.asv.results_format.run_file import decode_run, encode_run
from windtunnel.errors import DataError, OutrunError, RemoteBusyError, RemoteError
from windtunnel.git.branch import Branch
from windtunnel.git.objects import Edit, Signature
from windtunnel.model.identity import CommitHash, Instant
from windtunnel.model.result import Measured, Result, Row
from windtunnel.results.branch.exchange import Proposal, Updated, update
from windtunnel.results.branch.layout import is_run
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import Snapshot, take_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Bytes of the results as they lie on a disk, before and after."""

    files: int
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What compacting did."""

    updated: Updated
    sizes: Sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dated:
    """A file, its size, and the commit that it is about; a broken file is about none."""

    size: int
    commit: CommitHash | None
    date: Instant


def compact(branch: Branch, keep: int, retry: RetryPolicy) -> Compacted:
    """Drop the samples of all commits on *branch* but the newest *keep*, by their authors' dates."""
    sizes = Sizes(files=0, before=0, after=0)

    def work(snapshot: Snapshot) -> Proposal:
        nonlocal sizes
        proposal, sizes = propose(snapshot, branch, keep)
        return proposal

    return Compacted(updated=update(branch, work, retry), sizes=sizes)


def propose(snapshot: Snapshot, branch: Branch, keep: int) -> tuple[Proposal, Sizes]:
    """Return the edits that drop the samples, and what they save."""
    side = snapshot.side(branch)
    dated = [_dated(item.path, content) for item, content in zip(side.items, side.read(side.items), strict=True)]
    old = _commits(dated)[keep:]
    chosen = [(item, file) for item, file in zip(side.items, dated, strict=True) if file.commit in old]
    edits = list[Edit]()
    saved = 0
    for (item, file), content in zip(chosen, side.read([item for item, _ in chosen]), strict=True):
        if (bare := _without_samples(content)) is not None:
            edits.append(Edit(path=item.path, content=bare))
            saved += file.size - len(bare)
    before = sum(file.size for file in dated)
    message = f"store: samples of the newest {keep} commits only\n\n{len(edits)} files lose theirs"
    return Proposal(edits=tuple(edits), message=message), Sizes(files=len(dated), before=before, after=before - saved)


def _dated(path: str, content: bytes) -> _Dated:
    run = decode_run(content, path).value if is_run(path) else None
    return _Dated(size=len(content), commit=run.commit if run else None, date=run.date if run else Instant(0))


def _commits(dated: Sequence[_Dated]) -> tuple[CommitHash, ...]:
    """Return the commits, newest first; of two dates of one commit the later counts."""
    latest = dict[CommitHash, Instant]()
    for file in dated:
        if file.commit is not None:
            latest[file.commit] = max(file.date, latest.get(file.commit, file.date))
    return tuple(sorted(latest, key=lambda commit: (latest[commit], commit), reverse=True))


def _without_samples(content: bytes) -> bytes | None:
    """Return a results file without samples; None when it has none, or holds what rewriting it would lose."""
    decoded = decode_run(content, "")
    if decoded.value is None or decoded.problems:
        return None
    run = decoded.value
    bare = replace(run, rows=tuple(map(_bare_row, run.rows)), superseded=tuple(map(_bare_row, run.superseded)))
    return None if bare == run else encode_run(bare)


def _bare_row(row: Row) -> Row:
    return replace(row, results=tuple(map(_bare, row.results)))


def _bare(result: Result) -> Result:
    return replace(result, samples=None, process_sizes=None) if isinstance(result, Measured) else result


@dataclass(frozen=True, slots=True, kw_only=True)
class Squashed:
    """The branch's only commit, and the branch that keeps the history before it."""

    commit: CommitHash
    archive: str | None
    """None where there was no history to keep."""


def squash(branch: Branch, retry: RetryPolicy, now: Callable[[], float] = time.time) -> Squashed:
    """Replace the history of *branch* by one commit with the same files."""
    try:
        return retry.call(lambda: _attempt(branch, int(now())), max_failures=1)
    except OutrunError:
        raise RemoteBusyError(f"{branch} was moved by others again and again; nothing has changed: try later") from None


def _attempt(branch: Branch, now: int) -> Squashed:
    old = take_snapshot(branch).commit
    if old is None:
        raise DataError(f"there is no {branch} yet: nothing to squash")
    if not branch.has_history(old):
        return Squashed(commit=old, archive=None)
    archive = f"{branch.name}-until-{old[:8]}"
    try:
        branch.push(old, archive)
    except OutrunError:
        raise RemoteError(f"{branch.remote.name} has another branch {archive} already; rename or delete it") from None
    message = f"store: results, the history before is on {archive}"
    fresh = branch.without_history(old, Signature(author=branch.remote.author, message=message, time=now))
    branch.push(fresh, replacing=old)
    return Squashed(commit=fresh, archive=archive)
