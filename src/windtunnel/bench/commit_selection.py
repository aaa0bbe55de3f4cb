"""Which commits a plan covers: the newest, a range, tags, or a backfill that halves the gaps."""

import fnmatch
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from windtunnel.bench.format import Excluded
from windtunnel.errors import UsageError
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.identity import CommitHash

MAX_COMMITS_EXAMINED = 400
"""Commits that are looked at, newest first, for those that can matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRequest:
    """What was asked for: *newest* commits up to *revisions*, or all of the range *revisions* (``A..B``).

    *tags* takes the tagged commits instead; *backfill* takes that many, spread over all candidates. Where the log has
    one of the *stored* commits, all that are newer are taken, however many.
    """

    newest: int
    revisions: str = "HEAD"
    tags: bool = False
    backfill: int = 0
    irrelevant: tuple[str, ...] = ()
    stored: frozenset[CommitHash] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenCommits:
    """The commits to time, most wanted first, and those that cannot matter."""

    commits: tuple[Commit, ...]
    excluded: tuple[Excluded, ...]


def choose(repository: Repository, request: CommitRequest) -> ChosenCommits:
    """Return the commits that *request* asks for.

    A commit that differs from its parent only in irrelevant paths is left out: its parent's results are its own.
    Raises UsageError where the repository has no such commits.
    """
    if request.tags:
        return _tagged(repository, request)
    whole_range = ".." in request.revisions or request.backfill > 0
    log = repository.first_parent_log(
        request.revisions, None if whole_range or request.stored else MAX_COMMITS_EXAMINED
    )
    newer = list(takewhile(lambda commit: commit.hash not in request.stored, log))
    is_up_to_stored = len(newer) < len(log)
    log = tuple(newer)
    wanted = len(log) if whole_range or is_up_to_stored else request.newest
    kept: list[Commit] = []
    excluded: list[Excluded] = []
    for commit in log:
        if len(kept) == wanted:
            break
        if commit.parent and cannot_matter(repository.diff_names(commit.parent, commit.hash), request.irrelevant):
            excluded.append(_unchanged(commit))
        else:
            kept.append(commit)
    if request.backfill:
        kept = [kept[index] for index in subdivided(len(kept))[: request.backfill]]
    return ChosenCommits(commits=tuple(kept), excluded=tuple(excluded))


def cannot_matter(paths: Iterable[str], irrelevant: Iterable[str]) -> bool:
    """Tell whether every one of *paths* is irrelevant: in a folder (``docs/``), or a file at the top (``*.md``)."""
    patterns = tuple(irrelevant)
    return all(any(_matches(path, pattern) for pattern in patterns) for path in paths)


def subdivided(count: int) -> tuple[int, ...]:
    """Return 0 … count-1 in an order of which any beginning is spread evenly: first, last, middle, quarters …"""
    order = list(dict.fromkeys((0, count - 1))) if count else []
    gaps = deque([(0, count - 1)])
    while gaps:
        start, end = gaps.popleft()
        if end - start > 1:
            middle = (start + end) // 2
            order.append(middle)
            gaps += ((start, middle), (middle, end))
    return tuple(order)


def _tagged(repository: Repository, request: CommitRequest) -> ChosenCommits:
    hashes = tuple(dict.fromkeys(tag.commit for tag in reversed(repository.tags())))
    if not hashes:
        raise UsageError(f"{repository.root} has no tags; make one with git tag, or fetch them: git fetch --tags")
    commits = [repository.first_parent_log(name, 1)[0] for name in hashes]
    if request.backfill:
        commits = [commits[index] for index in subdivided(len(commits))[: request.backfill]]
    return ChosenCommits(commits=tuple(commits), excluded=())


def _matches(path: str, pattern: str) -> bool:
    if pattern.endswith("/"):
        return path.startswith(pattern)
    return path.count("/") == pattern.count("/") and fnmatch.fnmatchcase(path, pattern)


def _unchanged(commit: Commit) -> Excluded:
    return Excluded(
        item=f"commit {commit.hash[:8]} ({commit.subject})",
        reason="nothing that is installed or timed differs from its parent",
    )
