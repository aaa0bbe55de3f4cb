"""The one way in which a results branch changes: fetch, work, commit, push, and again when another push came first."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from windtunnel.errors import DataError, OutrunError, RemoteBusyError
from windtunnel.files import locked
from windtunnel.git.branch import Branch
from windtunnel.git.objects import Edit, Signature
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.layout import ALERTS, LARGEST_FILE
from windtunnel.results.branch.reconcile import Changes, Combine, reconcile
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import Folder, Side, Snapshot, take_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What is to change on the branch, why, and what was noticed on the way."""

    edits: tuple[Edit, ...]
    message: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """The branch after an update; nothing *changed* when all was there already."""

    commit: CommitHash | None
    changed: tuple[str, ...]
    notes: tuple[str, ...]


Work = Callable[[Snapshot], Proposal]


def update(branch: Branch, work: Work, retry: RetryPolicy, now: Callable[[], float] = time.time) -> Updated:
    """Commit what *work* proposes for the newest state of *branch*; a lost race calls *work* again."""
    try:
        return retry.call(lambda: _attempt(branch, work, int(now())))
    except OutrunError as error:
        raise RemoteBusyError(
            f"{error} (gave up after {retry.timeout:.0f} s; nothing is lost: "
            "run the same command again, or raise --retry-timeout)"
        ) from None


def _attempt(branch: Branch, work: Work, now: int) -> Updated:
    snapshot = take_snapshot(branch)
    proposal = work(snapshot)
    for edit in proposal.edits:
        if edit.content is not None and len(edit.content) > LARGEST_FILE:
            raise DataError(f"{edit.path} would have {len(edit.content)} bytes; at most {LARGEST_FILE} are stored")
    commit = _commit(branch, snapshot, proposal, now)
    if commit is None:
        return Updated(commit=snapshot.commit, changed=(), notes=proposal.notes)
    branch.push(commit)
    return Updated(commit=commit, changed=tuple(edit.path for edit in proposal.edits), notes=proposal.notes)


def _commit(branch: Branch, snapshot: Snapshot, proposal: Proposal, now: int) -> CommitHash | None:
    if not proposal.edits:
        return None
    signature = Signature(author=branch.remote.author, message=proposal.message, time=now)
    return branch.commit(snapshot.commit, proposal.edits, signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What a pull brought; *commit* is ``None`` where there is no branch yet."""

    commit: CommitHash | None
    changes: Changes


def push(folder: Folder, branch: Branch, combine: Combine, retry: RetryPolicy) -> Updated:
    """Put everything of *folder* on *branch*, which is made when it is missing; its alerts are the master and stay."""
    everything = folder.side()
    source = replace(everything, items=tuple(item for item in everything.items if item.path != ALERTS))
    if not source.items:
        raise DataError(f"{folder.root} holds no results; run the benchmarks first, or name the folder that does")

    def work(snapshot: Snapshot) -> Proposal:
        changes = reconcile(source, snapshot.side(branch), combine)
        return Proposal(edits=_edits(changes), message=_message(changes), notes=changes.notes)

    return update(branch, work, retry)


def pull(branch: Branch, folder: Folder, combine: Combine, retry: RetryPolicy, path: str = "") -> Pulled:
    """Put everything of *branch*, or of the folder *path* of it, into *folder*."""
    with locked(folder.root):
        snapshot = retry.call(lambda: take_snapshot(branch, path))
        changes = retry.call(lambda: _added(snapshot.side(branch), folder, combine))
    return Pulled(commit=snapshot.commit, changes=changes)


def add(source: Folder, folder: Folder, combine: Combine) -> Changes:
    """Put everything of *source* into *folder*."""
    with locked(folder.root):
        return _added(source.side(), folder, combine)


def amend(branch: Branch, path: str, edit: Callable[[bytes | None], bytes | None], retry: RetryPolicy) -> Updated:
    """Change one file of *branch*, such as the alerts: *edit* turns its bytes (``None``: no such file) into new ones.

    It is asked again, with the newer bytes, whenever another push came first.
    """

    def work(snapshot: Snapshot) -> Proposal:
        items = [item for item in snapshot.items if item.path == path]
        before = next(snapshot.side(branch).read(items), None)
        after = edit(before)
        edits = () if after == before else (Edit(path=path, content=after),)
        return Proposal(edits=edits, message=f"store: {path}")

    return update(branch, work, retry)


def _added(source: Side, folder: Folder, combine: Combine) -> Changes:
    changes = reconcile(source, folder.side(), combine)
    folder.write(changes.written)
    folder.remove(changes.removed)
    return changes


def _edits(changes: Changes) -> tuple[Edit, ...]:
    removed = (Edit(path=path, content=None) for path in changes.removed)
    return (*removed, *(Edit(path=file.path, content=file.content) for file in changes.written))


def _message(changes: Changes) -> str:
    """Return a subject that counts and a body that lists, up to 50 paths."""
    paths = [file.path for file in changes.written]
    machines = {path.partition("/")[0] for path in paths if "/" in path}
    subject = f"store: {_count(paths, 'file')} of {_count(machines, 'machine')}"
    more = [f"and {len(paths) - 50} more"] if len(paths) > 50 else []
    return "\n".join([subject, "", *paths[:50], *more])


def _count(things: Sequence[str] | set[str], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
