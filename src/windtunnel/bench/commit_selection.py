"""Chooses the commits of a plan: the newest, a range, or a backfill that halves the gaps."""

from collections import deque
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Annotated

from msgspec import Meta

from windtunnel.bench.format import Excluded
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.case_choice import CaseChoice
from windtunnel.model.identity import CommitHash
from windtunnel.model.settings import path_matches

MAX_COMMITS_EXAMINED = 400
"""Commits that are examined, newest first, to find those with relevant changes."""

PositiveInt = Annotated[int, Meta(ge=1, lt=10**9)]


class PlanRequest(CaseChoice, frozen=True, kw_only=True):
    """What to measure; each field is an option of ``windtunnel bench`` and ``ci plan``."""

    commits: PositiveInt = 1
    """Measure this many of the newest commits."""
    revisions: Annotated[str, Meta(extra={"metavar": "REV"})] = ""
    """Measure commits up to this revision, or all commits of a range A..B (default: --branch, else HEAD)."""
    backfill: PositiveInt | None = None
    """Measure this many commits spread over the whole range: the first, the last, the middle, and so on."""
    python: Annotated[tuple[str, ...], Meta(extra={"metavar": "SPEC"})] = ()
    """Measure only on this Python, such as 3.13 or virtualenv:3.13; may be repeated."""
    instructions: bool = False
    """Count the instructions of the selected cases too (Linux and CPython, with valgrind)."""
    rounds: PositiveInt | None = None
    """Run this many processes for each case (default: what its benchmark sets), and count with as many hash seeds."""
    budget: Annotated[int, Meta(ge=1, lt=10**9, extra={"metavar": "MIN"})] | None = None
    """Leave out what takes longer than this many runner-minutes."""
    retry: bool = False
    """Measure again what failed or was skipped before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFilter:
    """Which commits of a branch need no measurement."""

    irrelevant: tuple[str, ...] = ()
    """Paths whose changes cannot affect a result: folders (``docs/``) or patterns (``*.md``)."""
    stored: frozenset[CommitHash] = frozenset()
    """Commits with results; when the log has one of them, all newer commits are taken."""
    incomplete: frozenset[CommitHash] = frozenset()
    """Commits that are taken too if they are in the log, although they have results."""
    left: frozenset[CommitHash] = frozenset()
    """Commits that are left out."""


def choose(
    repository: Repository, request: PlanRequest, known: CommitFilter
) -> tuple[tuple[Commit, ...], tuple[Excluded, ...]]:
    """Return the commits of *request*, most important first, and those that are left out.

    A commit that differs from its parent only in irrelevant paths is excluded: its results are those of its parent.
    Raises UsageError if no such commit exists.
    """
    whole_range = ".." in request.revisions or request.backfill is not None
    log = repository.first_parent_log(request.revisions, None if whole_range or known.stored else MAX_COMMITS_EXAMINED)
    newer = list(takewhile(lambda commit: commit.hash not in known.stored, log))
    is_up_to_stored = len(newer) < len(log)
    incomplete = [commit for commit in log[len(newer) :] if commit.hash in known.incomplete]
    wanted = len(log) if whole_range or is_up_to_stored else request.commits
    kept: list[Commit] = []
    excluded: list[Excluded] = []
    for commit in (*newer, *incomplete):
        if len(kept) == wanted:
            break
        if commit.hash in known.left:
            excluded.append(_excluded(commit, "is new; a plan with --new has it"))
        elif commit.parent and is_irrelevant(repository.diff_names(commit.parent, commit.hash), known.irrelevant):
            excluded.append(_excluded(commit, "differs from its parent only in paths that are not installed or timed"))
        else:
            kept.append(commit)
    if request.backfill:
        kept = [kept[index] for index in spread_order(len(kept))[: request.backfill]]
    return tuple(kept), tuple(excluded)


def without_new(
    repository: Repository,
    known: CommitFilter,
    branch: str,
    stored: AbstractSet[CommitHash],
    incomplete: AbstractSet[CommitHash],
) -> CommitFilter:
    """Return *known*, and leave out all commits since the newest of *stored* on *branch*, and the *incomplete* ones."""
    new = replace(known, stored=frozenset(stored), incomplete=frozenset(incomplete))
    chosen, _ = choose(repository, PlanRequest(commits=1, revisions=branch), new)
    return replace(known, left=frozenset(commit.hash for commit in chosen))


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


def _excluded(commit: Commit, reason: str) -> Excluded:
    return Excluded(item=f"commit {commit.hash[:8]} ({commit.subject})", reason=reason)
