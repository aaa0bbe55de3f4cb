"""Finds the relevant steps of a series, changes of the shares of two levels among them; flips are marked."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from windtunnel.detect.candidate_change import CandidateChange, is_relevant
from windtunnel.detect.format import ChangeKind, ChangeStatus
from windtunnel.detect.levels import SeriesLevels
from windtunnel.stats.change_evidence import Shift
from windtunnel.stats.special import median

MIN_VISITS = 2
"""A series that left a level this often before has several levels of its own; its return there is a flip."""
MAX_LEVEL_DISTANCE = 0.25
"""Two levels count as the same when they differ by at most this share of the step."""
MAX_NOISE_DISTANCE = 3.0
"""For a flip, levels must also be within this multiple of the noise."""
MIN_RETURNS = 5
"""Returns from the new level to the old one, single runs included, from which a step is a flip."""
MIN_GAP = 4.5
"""Smallest step, in multiples of the noise, for which they are counted; noise does not reach as far."""
RECENT_RUNS = 100
"""Runs before a step in which they are counted."""
LASTING_RUNS = 15
"""A step with this many runs on both sides is not a flip, also where the series had both levels several times."""


def find_steps(found: SeriesLevels) -> tuple[CandidateChange, ...]:
    """Return the relevant steps of *found* with their status, oldest first."""
    shifts = relevant_shifts(found)
    if not shifts:
        return ()
    edges = (0, *found.starts, len(found.values))
    levels = [median(found.values[a:b]) for a, b in pairwise(edges)]
    steps = [_step(found, shift, levels, edges) for shift in shifts]
    return tuple(replace(step, status=_status(step, found, is_last=step is steps[-1])) for step in steps)


def relevant_shifts(found: SeriesLevels) -> tuple[Shift, ...]:
    """Return the shifts of *found* that are large enough to report."""
    return tuple(
        shift
        for shift in found.levels.shifts
        if is_relevant(found, shift.after - shift.before, shift.before, exceeds_noise=shift.shares is not None)
    )


def _step(found: SeriesLevels, shift: Shift, levels: Sequence[float], edges: Sequence[int]) -> CandidateChange:
    positions = found.series.positions
    return CandidateChange(
        found=found,
        kind=ChangeKind.STEP if shift.shares is None else ChangeKind.SHARE,
        previous=int(positions[shift.position - 1]),
        earliest=int(positions[shift.earliest - 1]),
        position=int(positions[shift.position]),
        latest=int(positions[shift.latest]),
        shift=shift,
        flip=shift.shares is None and _is_flip(found, shift, levels, edges),
    )


def _is_flip(found: SeriesLevels, shift: Shift, levels: Sequence[float], edges: Sequence[int]) -> bool:
    """Return whether the series had the new level, and left it, several times before, and soon changes again."""
    segment = edges.index(shift.position)
    before, after = (end - start for start, end in pairwise(edges[segment - 1 : segment + 2]))
    if min(before, after) >= LASTING_RUNS:
        return False
    distance = min(MAX_LEVEL_DISTANCE * abs(shift.after - shift.before), MAX_NOISE_DISTANCE * found.levels.noise)
    near = [abs(level - shift.after) <= distance for level in levels[:segment]]
    left = [now and not following for now, following in zip(near, [*near[1:], False], strict=True)]
    return sum(left) >= MIN_VISITS or _returns(found, shift) >= MIN_RETURNS


def _returns(found: SeriesLevels, shift: Shift) -> int:
    """Return how often the recent runs before *shift* went from its new level back to its old one."""
    size = abs(shift.after - shift.before)
    if size < MIN_GAP * found.levels.noise:
        return 0
    recent = found.values[max(0, shift.position - RECENT_RUNS) : shift.position]
    is_new = np.abs(recent - shift.after) <= MAX_LEVEL_DISTANCE * size
    is_old = np.abs(recent - shift.before) <= MAX_LEVEL_DISTANCE * size
    new = is_new[is_new | is_old]
    return int(np.count_nonzero(new[:-1] & ~new[1:]))


def _status(step: CandidateChange, found: SeriesLevels, *, is_last: bool) -> ChangeStatus:
    today = found.levels.shifts[-1].after
    if abs(today - step.shift.before) <= MAX_LEVEL_DISTANCE * abs(step.difference):
        return ChangeStatus.RECOVERED
    return ChangeStatus.CURRENT if is_last else ChangeStatus.SUPERSEDED
