"""Find which of many commits changed a benchmark, from instruction counts: one process decides a commit.

Counts are exact up to the hash seed, so the spread over the seeds is their whole noise. Counts decide where they differ
clearly between good and bad commit and explain the change of time. A change that they do not show, such as one of
caches, waiting or system calls, is decided from time (`windtunnel.compare.bisection`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.compare.commit_range import ChangeSide, CommitRange, CommitSide, narrow
from windtunnel.model.witness import InstructionCounts

MIN_COUNT_CHANGE = 0.005
"""The smallest relative change of counts that decides; counts of the same code differ by at most 0.15 %."""

MIN_SPREADS = 4.0
"""Good and bad commit differ clearly if their means lie this many times the spread over the seeds apart."""

MIN_SHARE = 0.25
"""Counts explain a change of time if theirs is at least this share of it, on a logarithmic scale.

Instructions per second differ between kinds of work, so both changes are rarely equal.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCommit:
    """The instructions of one commit."""

    position: int
    """The index of the commit in the range."""
    counts: InstructionCounts | None
    """None if it could not be built."""


def count_change(good: InstructionCounts | None, bad: InstructionCounts | None) -> float | None:
    """Return the relative change of the counts; None if they do not differ clearly, or do not see all work."""
    if good is None or bad is None or good.other_threads or bad.other_threads:
        return None
    if not _usable(good) or not _usable(bad):
        return None
    before, after = _mean(good), _mean(bad)
    change = after / before - 1
    clear = abs(after - before) > MIN_SPREADS * max(_spread(good), _spread(bad))
    return change if clear and abs(change) >= MIN_COUNT_CHANGE else None


def explains(change: float, expected: float | None) -> bool:
    """Return whether a *change* of counts explains the *expected* change of time; any does if that is not known."""
    if expected is None:
        return True
    if change <= -1 or expected <= -1:
        return False
    counts, time = math.log1p(change), math.log1p(expected)
    return counts * time > 0 and abs(counts) >= MIN_SHARE * abs(time)


def next_count(good: InstructionCounts, commits: int, counted: Sequence[CountedCommit]) -> CommitRange:
    """Return what is left of the range of *commits*, and the commit to count next.

    *counted* are in the order in which they were first counted; the first is the bad commit, which differs from *good*.
    """
    tested = [
        CommitSide(
            position=one.position,
            side=count_side(good, counted[0], one.counts),
            measured=one.counts is not None and _usable(one.counts),
        )
        for one in counted[1:]
    ]
    return narrow(commits - 1, tested)


def count_side(good: InstructionCounts, bad: CountedCommit, counts: InstructionCounts | None) -> ChangeSide:
    """Return on which side of half of the change between *good* and *bad* the *counts* lie."""
    assert bad.counts is not None
    half = (_mean(good) + _mean(bad.counts)) / 2
    if counts is None or not _usable(counts) or counts.other_threads:
        return ChangeSide.UNDECIDED
    distance = _mean(counts) - half
    if abs(distance) <= max(map(_spread, (good, bad.counts, counts))):
        return ChangeSide.UNDECIDED
    return ChangeSide.AFTER if (distance > 0) is (_mean(bad.counts) > _mean(good)) else ChangeSide.BEFORE


def _usable(counts: InstructionCounts) -> bool:
    return bool(counts.per_call) and all(math.isfinite(one) and one > 0 for one in counts.per_call)


def _mean(counts: InstructionCounts) -> float:
    return math.fsum(counts.per_call) / len(counts.per_call)


def _spread(counts: InstructionCounts) -> float:
    return max(counts.per_call) - min(counts.per_call)
