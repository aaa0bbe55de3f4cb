"""The one way in which a results branch changes: fetch, work, commit, push, and again when another push came first."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.errors import DataError, OutrunError, RemoteBusyError
from windtunnel.git.branch import Branch
from windtunnel.git.objects import Edit, Signature
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.layout import LARGEST_FILE
from windtunnel.results.branch.retry import RetryPolicy
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
