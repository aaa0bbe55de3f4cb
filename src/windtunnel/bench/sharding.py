"""Divides what is to be timed into shards of equal length: longest processing time first.

R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969), 416-429,
doi:10.1137/0117039: the longest shard takes at most 4/3 of the best possible time. Here a shard also pays for each
environment it creates and each commit it installs, so pieces of one commit and environment go together. A piece is a
task of one benchmark.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from windtunnel.bench.format import Excluded, Shard, SharedBuild, Task
from windtunnel.model.benchmark import Selection
from windtunnel.model.identity import CommitHash
from windtunnel.model.settings import MAX_MATRIX_JOBS

MAX_JOB_SECONDS = 5 * 3600.0
"""Seconds of a job on GitHub's runners: 6 hours (docs.github.com, Actions limits), less a margin for slow runners."""


MIN_SHARED_BUILD_SECONDS = 60.0
"""A shorter build is not worth a job of its own: its runner must start, and its files must be uploaded."""


ENVIRONMENT_SECONDS, COMMIT_SECONDS = 12.0, 4.0
"""What a shard pays to create an environment and to install a commit; measured on 2 shared cores."""


@dataclass(slots=True, kw_only=True)
class _Bin:
    """A shard while it fills."""

    index: int
    environment_seconds: float
    commit_seconds: float
    seconds: float = 0.0
    pieces: list[Task] = field(default_factory=list)
    installed: set[tuple[str, str]] = field(default_factory=set)
    """Commit and environment of each install."""
    environments: set[str] = field(default_factory=set)

    def cost(self, piece: Task) -> float:
        """Return the seconds of this shard after adding *piece*."""
        seconds = self.seconds + piece.seconds
        if (piece.commit, piece.environment) not in self.installed:
            seconds += self.commit_seconds
        if piece.environment not in self.environments:
            seconds += self.environment_seconds
        return seconds

    def add(self, piece: Task) -> None:
        """Add *piece*."""
        self.seconds = self.cost(piece)
        self.pieces.append(piece)
        self.installed.add((piece.commit, piece.environment))
        self.environments.add(piece.environment)


def distribute(
    pieces: Iterable[Task],
    count: int,
    *,
    environment_seconds: float = ENVIRONMENT_SECONDS,
    commit_seconds: float = COMMIT_SECONDS,
) -> tuple[Shard, ...]:
    """Distribute *pieces* over at most *count* shards (1 to 256); the result is deterministic.

    A benchmark stays whole, because its variants are compared with each other, unless it takes longer than a fair
    share of the time. A shard keeps the order of *pieces*.
    """
    ordered = tuple(pieces)
    rank = {(piece.commit, piece.environment): index for index, piece in reversed(list(enumerate(ordered)))}
    fair = sum(piece.seconds for piece in ordered) / count
    parts = [part for piece in ordered for part in split(piece, fair)]
    installs, environments = len(rank), len({piece.environment for piece in ordered})
    overhead = commit_seconds * max(installs, count) + environment_seconds * max(environments, count)
    target = fair + overhead / count  # of the best possible division
    bins = [
        _Bin(index=index, environment_seconds=environment_seconds, commit_seconds=commit_seconds)
        for index in range(count)
    ]
    for part in sorted(
        parts,
        key=lambda part: (
            -part.seconds,
            rank[part.commit, part.environment],
            part.selections[0].benchmark,
            part.selections[0].cases,
        ),
    ):
        _best(bins, part, target).add(part)
    filled = [bin_ for bin_ in bins if bin_.pieces]
    return tuple(
        Shard(index=index, tasks=_tasks(bin_, rank), seconds=bin_.seconds) for index, bin_ in enumerate(filled)
    )


def _best(bins: list[_Bin], part: Task, target: float) -> _Bin:
    """Return the shard for *part*: one that has its commit installed and stays below *target*, else the shortest."""
    install = (part.commit, part.environment)
    suitable = [bin_ for bin_ in bins if install in bin_.installed and bin_.cost(part) <= target]
    return min(suitable or bins, key=lambda candidate: (candidate.cost(part), candidate.index))


def split(piece: Task, max_seconds: float) -> tuple[Task, ...]:
    """Return *piece* whole, or divided by its cases when it takes more than *max_seconds*."""
    (selection,) = piece.selections
    cases = selection.cases
    parts = min(len(cases), math.ceil(piece.seconds / max_seconds - 1e-9)) if max_seconds > 0 else 1
    if parts <= 1:
        return (piece,)
    bounds = [len(cases) * part // parts for part in range(parts + 1)]
    return tuple(
        replace(
            piece,
            selections=(replace(selection, cases=cases[start:end]),),
            seconds=piece.seconds * (end - start) / len(cases),
        )
        for start, end in itertools.pairwise(bounds)
    )


def _tasks(bin_: _Bin, rank: dict[tuple[CommitHash, str], int]) -> tuple[Task, ...]:
    """Group the pieces of a shard by commit and environment, in the order of *rank*."""
    groups: dict[tuple[CommitHash, str], list[Task]] = {}
    for piece in bin_.pieces:
        groups.setdefault((piece.commit, piece.environment), []).append(piece)
    return tuple(
        Task(
            commit=commit,
            python=groups[commit, environment][0].python,
            environment=environment,
            selections=_joined(groups[commit, environment]),
            seconds=sum(piece.seconds for piece in groups[commit, environment]),
        )
        for commit, environment in sorted(groups, key=rank.__getitem__)
    )


def _joined(pieces: list[Task]) -> tuple[Selection, ...]:
    """Return one selection for each benchmark, sorted by name, with the cases of all its pieces."""
    whole: dict[str, Selection] = {}
    for selection in (selection for piece in pieces for selection in piece.selections):
        known = whole.get(selection.benchmark)
        cases = (*(known.cases if known else ()), *selection.cases)
        whole[selection.benchmark] = replace(selection, cases=tuple(sorted(cases)))
    return tuple(whole[name] for name in sorted(whole))


def apply_budget(pieces: tuple[Task, ...], budget: float) -> tuple[tuple[Task, ...], tuple[Excluded, ...]]:
    """Return the first *pieces* that together take at most *budget* seconds (0: no limit), and what is excluded."""
    if not budget:
        return pieces, ()
    spent, kept = 0.0, 0
    for piece in pieces:
        if spent + piece.seconds > budget:
            break
        spent, kept = spent + piece.seconds, kept + 1
    excluded = tuple(
        Excluded(
            item=f"{piece.selections[0].benchmark} at {piece.commit[:8]} on Python {piece.python}",
            reason="over the budget",
        )
        for piece in pieces[kept:]
    )
    return pieces[:kept], excluded


def keep_oldest(pieces: tuple[Task, ...], budget: float) -> tuple[tuple[Task, ...], tuple[Excluded, ...]]:
    """Return the *pieces* of the oldest commits that together take at most *budget* seconds, and what is excluded.

    Commits stay whole and the newest are excluded, so that a later plan goes on after the newest measured commit. If
    the oldest commit alone takes longer, it is cut. *pieces* begin with the newest commit; a budget of 0 keeps all.
    """
    seconds: dict[CommitHash, float] = {}
    for piece in pieces:
        seconds[piece.commit] = seconds.get(piece.commit, 0.0) + piece.seconds
    if not budget or sum(seconds.values()) <= budget:
        return pieces, ()
    oldest_first = tuple(reversed(seconds))
    spent = tuple(itertools.accumulate(seconds[commit] for commit in oldest_first))
    kept = oldest_first[: max(1, sum(total <= budget for total in spent))]
    excluded = tuple(
        Excluded(item=f"commit {commit[:8]}", reason="over the budget; the next plan with --new has it")
        for commit in seconds
        if commit not in kept
    )
    affordable, cut = apply_budget(tuple(piece for piece in pieces if piece.commit in kept), budget)
    return affordable, (*excluded, *cut)


def shared_builds(shards: Iterable[Shard], build_seconds: Mapping[str, float]) -> tuple[SharedBuild, ...]:
    """Return the builds that more than one of *shards* needs, unless they are known to be short.

    *build_seconds* has the duration of the latest builds by environment. More builds than a matrix has jobs are cut.
    """
    needed = Counter(
        build
        for shard in shards
        for build in dict.fromkeys(
            SharedBuild(commit=task.commit, python=task.python, environment=task.environment) for task in shard.tasks
        )
    )
    return tuple(
        build
        for build, count in needed.items()
        if count > 1 and build_seconds.get(build.environment, math.inf) >= MIN_SHARED_BUILD_SECONDS
    )[:MAX_MATRIX_JOBS]
