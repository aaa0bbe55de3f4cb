"""Narrow a range of commits around a change, from the side of the change on which each tested commit lies."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_UNDECIDED = 3
"""Undecided commits after which the search ends: the change is too small for the noise."""


class ChangeSide(StrEnum):
    """Where a commit lies relative to the change."""

    BEFORE = "before"
    AFTER = "after"
    UNDECIDED = "undecided"
    """It could not be measured, or is still undecided after the last interim analysis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitSide:
    """The side of one commit."""

    position: int
    """The index of the commit in the range."""
    side: ChangeSide
    measured: bool = True
    """Whether it has values; a commit without any says nothing about the noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRange:
    """The value changed after the commit at *before*, and not later than that at *after*."""

    before: int
    after: int
    undecided: tuple[int, ...]
    """The commits between that were tested."""
    next: int | None
    """The commit to test next; None if the search is over."""


def narrow(last: int, tested: Sequence[CommitSide]) -> CommitRange:
    """Return what is left of the commits 0 to *last*; *tested* are in the order in which they were first tested."""
    before, after = 0, last
    for one in tested:
        if one.side is ChangeSide.BEFORE:
            before = one.position
        elif one.side is ChangeSide.AFTER:
            after = one.position
    undecided = [one for one in tested if one.side is ChangeSide.UNDECIDED]
    between = tuple(sorted(one.position for one in undecided if before < one.position < after))
    over = sum(one.measured for one in undecided) >= MAX_UNDECIDED
    return CommitRange(
        before=before, after=after, undecided=between, next=None if over else _middle(before, after, set(between))
    )


def _middle(before: int, after: int, tested: Collection[int]) -> int | None:
    """Return the position nearest to the middle that is not among *tested*; None without any."""
    untested = (position for position in range(before + 1, after) if position not in tested)
    return min(untested, key=lambda position: abs(2 * position - before - after), default=None)
