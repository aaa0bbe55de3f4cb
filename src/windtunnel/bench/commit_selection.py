"""Chooses the commits of a plan: the newest, a range, tags, or a backfill that halves the gaps."""

from collections import deque
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import takewhile

from windtunnel.bench.format import Excluded
from windtunnel.errors import UsageError
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.identity import CommitHash
from windtunnel.model.settings import path_matches

MAX_COMMITS_EXAMINED = 400
"""Commits that are examined, newest first, to find those with relevant changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRequest:
    """Which commits to time."""

    newest: int
    """Number of commits, unless another field decides."""
    revisions: str = "HEAD"
    """Last commit, or a range ``A..B`` whose commits are all taken."""
    tags: bool = False
    """Take the tagged commits instead."""
    backfill: int = 0
    """Take this many commits, spread over all candidates."""
    irrelevant: tuple[str, ...] = ()
    """Paths whose changes cannot affect a result: folders (``docs/``) or patterns (``*.md``)."""
    stored: frozenset[CommitHash] = frozenset()
    """Commits with results; when the log has one of them, all newer commits are taken."""
    incomplete: frozenset[CommitHash] = frozenset()
    """Commits that are taken too if they are in the log, although they have results."""
    left: frozenset[CommitHash] = frozenset()
    """Commits that are left out."""


def choose(repository: Repository, request: CommitRequest) -> tuple[tuple[Commit, ...], tuple[Excluded, ...]]:
    """Return the commits of *request*, most important first, and those that are left out.

    A commit that differs from its parent only in irrelevant paths is excluded: its results are those of its parent.
    Raises UsageError if no such commit exists.
    """
    if request.tags:
        return _tagged(repository, request), ()
    whole_range = ".." in request.revisions or request.backfill > 0
    log = repository.first_parent_log(
        request.revisions, None if whole_range or request.stored else MAX_COMMITS_EXAMINED
    )
    newer = list(takewhile(lambda commit: commit.hash not in request.stored, log))
    is_up_to_stored = len(newer) < len(log)
    incomplete = [commit for commit in log[len(newer) :] if commit.hash in request.incomplete]
    wanted = len(log) if whole_range or is_up_to_stored else request.newest
    kept: list[Commit] = []
    excluded: list[Excluded] = []
    for commit in (*newer, *incomplete):
        if len(kept) == wanted:
            break
        if commit.hash in request.left:
            excluded.append(_excluded(commit, "is new; a plan with --new has it"))
        elif commit.parent and is_irrelevant(repository.diff_names(commit.parent, commit.hash), request.irrelevant):
            excluded.append(_excluded(commit, "differs from its parent only in paths that are not installed or timed"))
        else:
            kept.append(commit)
    if request.backfill:
        kept = [kept[index] for index in spread_order(len(kept))[: request.backfill]]
    return tuple(kept), tuple(excluded)


def only_new(
    request: CommitRequest, stored: AbstractSet[CommitHash], incomplete: AbstractSet[CommitHash]
) -> CommitRequest:
    """Return *request* for all commits since the newest of *stored*, and for the *incomplete* ones."""
    return replace(request, stored=frozenset(stored), incomplete=frozenset(incomplete))


def without_new(
    repository: Repository,
    request: CommitRequest,
    branch: str,
    stored: AbstractSet[CommitHash],
    incomplete: AbstractSet[CommitHash],
) -> CommitRequest:
    """Return *request* without the commits that `only_new` requests for *branch*."""
    new = only_new(CommitRequest(newest=1, revisions=branch, irrelevant=request.irrelevant), stored, incomplete)
    return replace(request, left=frozenset(commit.hash for commit in choose(repository, new)[0]))


def is_irrelevant(paths: Iterable[str], irrelevant: Iterable[str]) -> bool:
    """Return whether all *paths* are irrelevant: in a folder (``docs/``), or a file at the top (``*.md``)."""
    patterns = tuple(irrelevant)
    return all(any(path_matches(path, pattern) for pattern in patterns) for path in paths)


def spread_order(count: int) -> tuple[int, ...]:
    """Return 0 … count-1 so that every prefix is spread evenly: first, last, middle, quarters …"""
    order = list(dict.fromkeys((0, count - 1))) if count else []
    gaps = deque([(0, count - 1)])
    while gaps:
        start, end = gaps.popleft()
        if end - start > 1:
            middle = (start + end) // 2
            order.append(middle)
            gaps += ((start, middle), (middle, end))
    return tuple(order)


def _tagged(repository: Repository, request: CommitRequest) -> tuple[Commit, ...]:
    hashes = tuple(dict.fromkeys(tag.commit for tag in reversed(repository.tags())))
    if not hashes:
        raise UsageError(f"{repository.root} has no tags; create one with git tag, or fetch them: git fetch --tags")
    commits = [repository.first_parent_log(name, 1)[0] for name in hashes if name not in request.left]
    if request.backfill:
        commits = [commits[index] for index in spread_order(len(commits))[: request.backfill]]
    return tuple(commits)


def _excluded(commit: Commit, reason: str) -> Excluded:
    return Excluded(item=f"commit {commit.hash[:8]} ({commit.subject})", reason=reason)
