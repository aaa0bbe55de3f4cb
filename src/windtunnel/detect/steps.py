"""Finds the relevant steps of a series, and marks those that only flip between known levels."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from windtunnel.detect.candidate_change import CandidateChange, is_relevant
from windtunnel.detect.format import ChangeKind, ChangeStatus
from windtunnel.detect.levels import SeriesLevels
from windtunnel.stats.change_evidence import Shift

MIN_VISITS = 2
"""A series that left a level this often before has several levels of its own; its return there is a flip."""
MAX_LEVEL_DISTANCE = 0.25
"""Two levels count as the same when they differ by at most this share of the step."""
MAX_NOISE_DISTANCE = 3.0
"""For a flip, levels must also be within this multiple of the noise."""


def find_steps(found: SeriesLevels) -> tuple[CandidateChange, ...]:
    """Return the relevant steps of *found* with their status, oldest first."""
    edges = (0, *found.starts, len(found.values))
    levels = [float(np.median(found.values[a:b])) for a, b in pairwise(edges)]
    steps = [
        _step(found, shift, levels)
        for shift in found.levels.shifts
        if is_relevant(found, shift.after - shift.before, shift.before)
    ]
    return tuple(replace(step, status=_status(step, found, is_last=step is steps[-1])) for step in steps)


def _step(found: SeriesLevels, shift: Shift, levels: Sequence[float]) -> CandidateChange:
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
        flip=_is_flip(found, shift, levels),
    )


def _is_flip(found: SeriesLevels, shift: Shift, levels: Sequence[float]) -> bool:
    """Return whether the series had the new level, and left it, several times before."""
    segment = found.starts.index(shift.position) + 1
    distance = min(MAX_LEVEL_DISTANCE * abs(shift.after - shift.before), MAX_NOISE_DISTANCE * found.levels.noise)
    near = [abs(level - shift.after) <= distance for level in levels[:segment]]
    visits = sum(now and not following for now, following in zip(near, [*near[1:], False], strict=True))
    return visits >= MIN_VISITS


def _status(step: CandidateChange, found: SeriesLevels, *, is_last: bool) -> ChangeStatus:
    today = found.levels.shifts[-1].after
    if abs(today - step.before) <= MAX_LEVEL_DISTANCE * abs(step.difference):
        return ChangeStatus.RECOVERED
    return ChangeStatus.CURRENT if is_last else ChangeStatus.SUPERSEDED
