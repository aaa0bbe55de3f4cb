"""The one way in which a results branch changes: fetch, work, commit, push, and again when another push came first."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.errors import DataError, OutrunError, RemoteBusyError
from windtunnel.git.branch import Branch
from windtunnel.git.objects import Edit, Signature
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.layout import LARGEST_FILE
from windtunnel.results.branch.retry import MOST_FAILURES, Patience
from windtunnel.results.branch.snapshot import Snapshot, take_snapshot


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
    tries: int


Work = Callable[[Snapshot], Proposal]


def update(branch: Branch, work: Work, patience: Patience, now: Callable[[], float] = time.time) -> Updated:
    """Put what *work* proposes for the newest state on *branch*; it is asked again whenever that state has moved."""
    failures = number = 0
    last: RemoteBusyError | None = None
    for number in patience.tries():
        try:
            return _attempt(branch, work, number, int(now()))
        except RemoteBusyError as error:
            last = error
            failures = 0 if isinstance(error, OutrunError) else failures + 1
            if failures == MOST_FAILURES:
                raise
    raise RemoteBusyError(
        f"{last} (so ended the last of {number} tries within {patience.seconds:.0f} s; nothing is lost: "
        "run the same command again, or give it more patience)"
    )


def _attempt(branch: Branch, work: Work, number: int, now: int) -> Updated:
    snapshot = take_snapshot(branch)
    proposal = work(snapshot)
    for edit in proposal.edits:
        if edit.content is not None and len(edit.content) > LARGEST_FILE:
            raise DataError(f"{edit.path} would have {len(edit.content)} bytes; at most {LARGEST_FILE} are stored")
    commit = _commit(branch, snapshot, proposal, now)
    if commit is None:
        return Updated(commit=snapshot.commit, changed=(), notes=proposal.notes, tries=number)
    branch.push(commit)
    changed = tuple(edit.path for edit in proposal.edits)
    return Updated(commit=commit, changed=changed, notes=proposal.notes, tries=number)


def _commit(branch: Branch, snapshot: Snapshot, proposal: Proposal, now: int) -> CommitHash | None:
    if not proposal.edits:
        return None
    signature = Signature(author=branch.remote.author, message=proposal.message, time=now)
    return branch.commit(snapshot.commit, proposal.edits, signature)
