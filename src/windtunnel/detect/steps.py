"""Finds the relevant changes of a series: steps, flips between known levels, and creep."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from windtunnel.detect.candidate_change import CandidateChange, is_relevant
from windtunnel.detect.format import ChangeKind, ChangeStatus
from windtunnel.detect.levels import MEDIAN_VARIANCE, SeriesLevels
from windtunnel.stats.change_evidence import Shift
from windtunnel.stats.noise_scale import Vector, residual_scale
from windtunnel.stats.special import normal_tail

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


WINDOW = 10
"""Runs up to a release that determine its level."""
MIN_RUNS = 20
"""Runs between two baselines; within fewer runs, a change is a step or nothing."""
PARTS = 4
"""The time between is cut into parts; each part's median must lie beyond the one before."""
BASELINE_INTERVAL = 50
"""Runs between baselines in a history without releases."""
MIN_CREEP = 0.05
"""Smallest relative change between baselines to report."""
MIN_COUNT_CREEP = 0.01
"""The same for counts of instructions."""
MIN_ERRORS = 4.5
"""Standard errors that a creep must exceed: a two-sided chance of 7e-6, for thousands of pairs of baselines."""


def find_creeps(found: SeriesLevels, releases: Sequence[int]) -> tuple[CandidateChange, ...]:
    """Return the creeps of *found* between baselines; each begins where the one before ended.

    *releases* are positions in the history. Relevant steps are reported on their own, so they are subtracted first.
    """
    baselines = _baselines(found, releases)
    if len(baselines) == 1:
        return ()
    rest = _without_steps(found)
    levels = dict(zip(baselines, _levels(rest, baselines), strict=True))
    min_difference = MIN_ERRORS * _relative_error(found) * found.levels.noise
    creeps: list[CandidateChange] = []
    start, *later = baselines
    for end in later:
        if end - start < MIN_RUNS or abs(levels[end] - levels[start]) < min_difference:
            continue
        creep = _creep(found, rest, start, end)
        least = MIN_COUNT_CREEP if found.series.is_count else MIN_CREEP
        if creep and is_relevant(found, creep.difference, creep.before, least):
            creeps.append(creep)
            start = end
    return tuple(creeps)


def _without_steps(found: SeriesLevels) -> Vector:
    rest = found.values.copy()
    for shift in found.levels.shifts:
        if is_relevant(found, shift.after - shift.before, shift.before):
            rest[shift.position :] -= shift.after - shift.before
    return rest


def _baselines(found: SeriesLevels, releases: Sequence[int]) -> list[int]:
    """Return the indices of the values that are compared; the last value is always among them."""
    last = len(found.values) - 1
    if last <= WINDOW:
        return [last]
    if releases:
        indices = np.searchsorted(found.series.positions, releases, side="right") - 1
        inside = {int(index) for index in indices if index >= WINDOW - 1}
    else:
        inside = set(range(WINDOW - 1, last, BASELINE_INTERVAL))
    return sorted({WINDOW - 1, *inside, last})


def _levels(rest: Vector, baselines: Sequence[int]) -> list[float]:
    """Return the median of the window that ends with each baseline, in one call because separate calls are slow."""
    windows = np.asarray(baselines)[:, None] + np.arange(1 - WINDOW, 1)
    return [float(level) for level in np.median(rest[windows], axis=1)]


def _relative_error(found: SeriesLevels) -> float:
    """Return the standard error of the difference of two levels, as a multiple of the noise of a run."""
    return float((2 * MEDIAN_VARIANCE * found.levels.inflation / WINDOW) ** 0.5)


def _creep(found: SeriesLevels, rest: Vector, start: int, end: int) -> CandidateChange | None:
    """Return the creep between two baselines; None where it does not exceed the noise or does not grow throughout."""
    span = rest[start - WINDOW + 1 : end + 1]
    difference = float(np.median(span[-WINDOW:])) - float(np.median(span[:WINDOW]))
    parts = np.array_split(span, PARTS)
    middles = [float(np.median(part)) for part in parts]
    scatter = np.concatenate([part - middle for part, middle in zip(parts, middles, strict=True)])
    error = _relative_error(found) * max(found.levels.noise, residual_scale(scatter, 0.0))
    size = abs(difference) / error
    if size < MIN_ERRORS or (np.sign(difference) * np.diff(middles)).min() <= 0:
        return None
    first, last = (int(found.series.positions[index]) for index in (start, end))
    before = float(np.median(found.values[start - WINDOW + 1 : start + 1]))
    return CandidateChange(
        found=found,
        kind=ChangeKind.CREEP,
        previous=first,
        earliest=first,
        position=last,
        latest=last,
        before=before,
        after=before + difference,
        error=error,
        freedom=float(2 * WINDOW),
        chance=min(1.0, 2 * normal_tail(size) * len(rest)),
    )
