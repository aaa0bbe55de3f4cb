"""Finds the relevant changes of a series: steps, changes of the shares of two levels, and creeps.

Flips are marked. A creep is a level that moves between two releases in steps that are too small to detect one by one.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from windtunnel.detect.candidate_change import CandidateChange, is_relevant
from windtunnel.detect.format import ChangeStatus
from windtunnel.detect.levels import MEDIAN_VARIANCE, SeriesLevels
from windtunnel.stats.change_evidence import Shift
from windtunnel.stats.special import Vector, median, normal_tail, residual_scale

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
MAX_STEP = 0.5
"""The largest steps between the baselines, as a share of the difference of their levels."""
MIN_AGREEMENT = 0.5
"""What remains without these steps is at least this share of that difference, and that difference of it.

The medians of the first and the last part must also differ by this share of the creep (three quarters for a straight
line): a few unusual runs at an end are not a creep.
"""
MAX_REMAINDER = 0.25
"""The largest share of a creep that remains once it has recovered."""


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
        kind="step" if shift.shares is None else "share",
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
        return "recovered"
    return "current" if is_last else "superseded"


def find_creeps(found: SeriesLevels, releases: Sequence[int]) -> tuple[CandidateChange, ...]:
    """Return the creeps of *found* between baselines, with their status; each begins where the one before ended.

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
    level_after = median(rest[start + 1 : start + 1 + 2 * WINDOW])
    if abs(level_after - levels[start]) > min_difference:  # the first runs are unusual
        start, *later = later
    for end in later:
        if end - start < MIN_RUNS or abs(levels[end] - levels[start]) < min_difference:
            continue
        creep = _creep(found, rest, start, end)
        least = MIN_COUNT_CREEP if found.series.is_count else MIN_CREEP
        if creep and is_relevant(found, creep.difference, creep.shift.before, least):
            creeps.append(creep)
            start = end
    return tuple(replace(creep, status=_creep_status(creep, found, is_last=creep is creeps[-1])) for creep in creeps)


def _without_steps(found: SeriesLevels) -> Vector:
    rest = found.values.copy()
    for shift in relevant_shifts(found):
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
    windows = rest[np.asarray(baselines)[:, None] + np.arange(1 - WINDOW, 1)]
    windows.sort(axis=1)
    levels: list[float] = ((windows[:, (WINDOW - 1) // 2] + windows[:, WINDOW // 2]) / 2).tolist()
    return levels


def _relative_error(found: SeriesLevels) -> float:
    """Return the standard error of the difference of two levels, as a multiple of the noise of a run."""
    return float((2 * MEDIAN_VARIANCE * found.levels.inflation / WINDOW) ** 0.5)


def _creep(found: SeriesLevels, rest: Vector, start: int, end: int) -> CandidateChange | None:
    """Return the creep between two baselines; None where it does not exceed the noise, or is not a creep."""
    first = start - WINDOW + 1
    span = rest[first : end + 1]
    drift = _difference(span)
    parts = np.array_split(span, PARTS)
    middles = [float(np.median(part)) for part in parts]
    scatter = np.concatenate([part - middle for part, middle in zip(parts, middles, strict=True)])
    error = _relative_error(found) * max(found.levels.noise, residual_scale(scatter, 0.0))
    size = abs(drift) / error
    if size < MIN_ERRORS or (np.sign(drift) * np.diff(middles)).min() <= 0:
        return None
    if abs(middles[-1] - middles[0]) < MIN_AGREEMENT * abs(drift):
        return None
    values = found.values[first : end + 1]
    if not _agree(drift, _difference(values)) or _has_steps(found, first, end) or _is_step(span):
        return None
    positions = [int(found.series.positions[index]) for index in (start, end)]
    return CandidateChange(
        found=found,
        kind="creep",
        previous=positions[0],
        earliest=positions[0],
        position=positions[1],
        latest=positions[1],
        shift=Shift(
            position=end,
            earliest=end,
            latest=end,
            before=float(np.median(values[:WINDOW])),
            after=float(np.median(values[-WINDOW:])),
            error=error,
            freedom=float(2 * WINDOW),
            chance=min(1.0, 2 * normal_tail(size) * len(rest)),
        ),
    )


def _difference(values: Vector) -> float:
    """Return the level at the end of *values* minus that at their start."""
    return float(np.median(values[-WINDOW:])) - float(np.median(values[:WINDOW]))


def _agree(drift: float, difference: float) -> bool:
    """Return whether the levels differ in the direction of the *drift*, and by about as much."""
    return drift * difference > 0 and MIN_AGREEMENT <= drift / difference <= 1 / MIN_AGREEMENT


def _has_steps(found: SeriesLevels, first: int, end: int) -> bool:
    """Return whether steps between the values *first* and *end* are as large as a creep, or the series flips there."""
    difference = _difference(found.values[first : end + 1])
    steps = [shift for shift in relevant_shifts(found) if first < shift.position <= end]
    total = sum(abs(shift.after - shift.before) for shift in steps)
    flips = any(stretch.start <= end and first < stretch.end for stretch in found.levels.flipping)
    return flips or total > MAX_STEP * abs(difference)


def _is_step(span: Vector) -> bool:
    """Return whether one step fits *span* at least as well as a straight line: least squares, without outliers."""
    values = np.clip(span, *np.quantile(span, (0.02, 0.98)))
    values -= values.mean()
    count = len(values)
    time = np.arange(count) - (count - 1) / 2
    by_line = float(time @ values) ** 2 / float(time @ time)
    sums = np.cumsum(values)[:-1]
    old = np.arange(1, count)
    by_step = float((sums**2 * (1 / old + 1 / (count - old))).max())
    return by_step >= by_line


def _creep_status(creep: CandidateChange, found: SeriesLevels, *, is_last: bool) -> ChangeStatus:
    """Return whether the level at the end of *creep* still holds."""
    today = float(np.median(found.values[-WINDOW:]))
    if (today - creep.shift.before) / creep.difference <= MAX_REMAINDER:
        return "recovered"
    end = int(np.searchsorted(found.series.positions, creep.position))
    stepped = any(shift.position > end for shift in relevant_shifts(found))
    return "current" if is_last and not stepped else "superseded"
