"""Groups changes that may have one cause: those that may lie at the same position of the history."""

from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.detect.candidate_change import CandidateChange
from windtunnel.detect.format import ChangeKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cause:
    """A position of the history and the changes that fit it."""

    previous: int
    """Position of the last run that is certainly before the cause."""
    position: int
    """Most likely position."""
    latest: int
    """Last possible position."""
    changes: tuple[CandidateChange, ...]
    """The changes; the first one determines the positions."""


def group_by_cause(changes: Sequence[CandidateChange]) -> tuple[Cause, ...]:
    """Return the causes of *changes*, oldest first.

    The changes with the most certain positions found the groups, the others join them. A creep is a cause of its own
    for each pair of baselines.
    """
    groups: list[list[CandidateChange]] = []
    for change in sorted(changes, key=_certainty):
        fitting = [group for group in groups if _fits(change, group[0])]
        if fitting:
            max(fitting, key=lambda group: (len(group), -abs(group[0].position - change.position))).append(change)
        else:
            groups.append([change])
    return tuple(sorted(map(_cause, groups), key=lambda cause: (cause.position, cause.previous)))


def _certainty(change: CandidateChange) -> tuple[int, float, int, tuple[str, ...]]:
    """Sort the most certain position first, then the strongest change; ties are broken by name."""
    key = change.found.series.key
    name = (key.benchmark, *key.params, *key.target, key.version or "")
    return change.latest - change.earliest, -abs(change.difference) / change.error, change.position, name


def _fits(change: CandidateChange, founder: CandidateChange) -> bool:
    """Return whether the possible positions of *change* overlap those of *founder*."""
    if change.kind is not founder.kind:
        return False
    if change.kind is ChangeKind.CREEP:
        return (change.previous, change.position) == (founder.previous, founder.position)
    return change.earliest < founder.latest and founder.earliest < change.latest


def _cause(group: Sequence[CandidateChange]) -> Cause:
    founder = group[0]
    return Cause(previous=founder.earliest, position=founder.position, latest=founder.latest, changes=tuple(group))
