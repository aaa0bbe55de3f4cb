"""Squashing: the branch's own history goes, under another name, in two steps of which each leaves everything whole.

First the branch as it is gets a second name, *<branch>-until-<commit>*. Then the branch moves to a commit that holds
the same files and has no parents; the remote does that only while the branch is at the very commit that was named. A
push that comes in between is never overwritten: the squash begins again. A push that comes after finds that the
branch has moved and merges with what is there, as ever. Nothing is freed on the remote before someone deletes the
second name, which Windtunnel never does.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.errors import DataError, OutrunError, RemoteBusyError, RemoteError
from windtunnel.git.branch import Branch
from windtunnel.git.objects import Signature
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.snapshot import take_snapshot


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
