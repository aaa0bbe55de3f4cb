"""Drafts that may have one cause: changes that lie, as far as can be told, at the same place of the history."""

from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.detect.candidate_change import CandidateChange
from windtunnel.detect.format import ChangeKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cause:
    """A place of the history and the drafts that fit it; *previous* is before all of it, *latest* its last position."""

    previous: int
    position: int
    latest: int
    drafts: tuple[CandidateChange, ...]


def causes(drafts: Sequence[CandidateChange]) -> tuple[Cause, ...]:
    """Return the causes of *drafts*, oldest first: those that know their place best found them, the others join.

    A creep is a cause of its own for each pair of baselines.
    """
    groups: list[list[CandidateChange]] = []
    for draft in sorted(drafts, key=_certainty):
        fitting = [group for group in groups if _fits(draft, group)]
        if fitting:
            max(fitting, key=lambda group: (len(group), -abs(group[0].position - draft.position))).append(draft)
        else:
            groups.append([draft])
    return tuple(sorted((_cause(group) for group in groups), key=lambda cause: (cause.position, cause.previous)))


def _certainty(draft: CandidateChange) -> tuple[int, float, int, tuple[str, ...]]:
    key = draft.found.series.key
    strength = abs(draft.difference) / draft.error
    return (
        draft.latest - draft.earliest,
        -strength,
        draft.position,
        (key.benchmark, *key.params, *key.target, key.version or ""),
    )


def _fits(draft: CandidateChange, group: Sequence[CandidateChange]) -> bool:
    """Tell whether the places that *draft* may have begun at overlap those of the one that found the group."""
    founder = group[0]
    if draft.kind is not founder.kind:
        return False
    if draft.kind is ChangeKind.CREEP:
        return (draft.previous, draft.position) == (founder.previous, founder.position)
    return draft.earliest < founder.latest and founder.earliest < draft.latest


def _cause(group: Sequence[CandidateChange]) -> Cause:
    founder = group[0]
    return Cause(previous=founder.earliest, position=founder.position, latest=founder.latest, drafts=tuple(group))
