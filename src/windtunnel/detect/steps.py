"""The steps of a series that are worth telling, and those that only flip back and forth."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from windtunnel.detect.candidate_change import CandidateChange, is_relevant
from windtunnel.detect.format import ChangeKind, ChangeStatus
from windtunnel.detect.levels import SeriesLevels
from windtunnel.stats.change_evidence import Shift

VISITS = 2
"""A level that was left this often before is no news: the benchmark has several levels of its own."""
SAME_LEVEL = 0.25
WITHIN_NOISE = 3.0
"""Levels are the same when they differ by less than this share of the step; for a flip, by noise alone as well."""


def relevant_steps(found: SeriesLevels) -> tuple[CandidateChange, ...]:
    """Return the steps of *found* that are relevant, each with what became of it."""
    shifts = [shift for shift in found.levels.shifts if is_relevant(found, _size(shift), shift.before)]
    levels = _level_of_each_segment(found)
    return tuple(_with_status([_draft(found, shift, levels) for shift in shifts], found))


def _size(shift: Shift) -> float:
    return shift.after - shift.before


def _level_of_each_segment(found: SeriesLevels) -> tuple[float, ...]:
    edges = (0, *found.starts, len(found.values))
    return tuple(float(np.median(found.values[a:b])) for a, b in pairwise(edges))


def _is_flip(shift: Shift, found: SeriesLevels, levels: Sequence[float]) -> bool:
    """Tell whether the level that *shift* leads to was there, and was left, several times before."""
    segment = found.starts.index(shift.position) + 1
    same = min(SAME_LEVEL * abs(_size(shift)), WITHIN_NOISE * found.levels.noise)
    near = [abs(level - shift.after) <= same for level in levels[:segment]]
    visits = sum(now and not following for now, following in zip(near, [*near[1:], False], strict=True))
    return visits >= VISITS


def _draft(found: SeriesLevels, shift: Shift, levels: Sequence[float]) -> CandidateChange:
    positions = found.series.positions
    return CandidateChange(
        found=found,
        kind=ChangeKind.STEP,
        previous=int(positions[shift.position - 1]),
        earliest=int(positions[shift.earliest - 1]),
        position=int(positions[shift.position]),
        latest=int(positions[shift.latest]),
        before=shift.before,
        after=shift.after,
        error=shift.error,
        freedom=shift.freedom,
        chance=shift.chance,
        flip=_is_flip(shift, found, levels),
    )


def _with_status(drafts: Sequence[CandidateChange], found: SeriesLevels) -> list[CandidateChange]:
    """Say of each step whether its level still holds, came back, or made way for another."""
    if not drafts:
        return []
    now = found.levels.shifts[-1].after
    final = drafts[-1]
    stated = []
    for draft in drafts:
        if abs(now - draft.before) <= SAME_LEVEL * abs(draft.difference):
            status = ChangeStatus.RECOVERED
        else:
            status = ChangeStatus.CURRENT if draft is final else ChangeStatus.SUPERSEDED
        stated.append(replace(draft, status=status))
    return stated
