"""Slow creep: many steps too small to be told apart add up; found against the levels at releases."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from windtunnel.detect.candidate_change import CandidateChange, is_relevant
from windtunnel.detect.format import ChangeKind
from windtunnel.detect.levels import SeriesLevels
from windtunnel.stats.noise_scale import Vector, residual_scale

WINDOW = 10
"""Runs up to a release that tell its level."""
LEAST_RUNS = 20
"""Between baselines: what happened within fewer runs is a step or nothing."""
PARTS = 4
"""Parts of the time between, of which each must lie beyond the one before: what creeps does not jump or waver."""
EVERY = 50
"""Runs between the points that stand in for releases where there are none."""
LEAST_CREEP = 0.05
"""Relative change between baselines that is worth telling when no step explains it."""
CLEARLY = 4.5
"""Standard errors by which it must exceed noise: two-sided 7e-6, for thousands of pairs of baselines."""
MEDIAN_VARIANCE = np.pi / 2
"""Of a median of normal values, in variances of their mean."""


def creeps(found: SeriesLevels, releases: Sequence[int]) -> tuple[CandidateChange, ...]:
    """Return the creeps of *found* between baselines, each beginning where the last one ended.

    *releases* are positions in the history. Steps that matter explain themselves, and are taken out first.
    """
    shifts = found.levels.shifts
    steps = [shift for shift in shifts if is_relevant(found, shift.after - shift.before, shift.before)]
    rest = found.values.copy()
    for step in steps:
        rest[step.position :] -= step.after - step.before
    anchors = _anchors(found, releases)
    if len(anchors) == 1:
        return ()
    levels = dict(zip(anchors, _levels(rest, anchors), strict=True))
    baseline, *later = anchors
    least = CLEARLY * _error_of_levels(found) * found.levels.noise
    drafts: list[CandidateChange] = []
    for anchor in later:
        far = anchor - baseline >= LEAST_RUNS and abs(levels[anchor] - levels[baseline]) >= least
        draft = _creep(found, rest, baseline, anchor) if far else None
        if draft and is_relevant(found, draft.difference, draft.before, LEAST_CREEP):
            drafts.append(draft)
            baseline = anchor
    return tuple(drafts)


def _anchors(found: SeriesLevels, releases: Sequence[int]) -> list[int]:
    """Return the points that are compared, as indices, the last point always among them."""
    last = len(found.values) - 1
    if releases:
        inside = np.searchsorted(found.series.positions, releases, side="right") - 1
        anchors = {int(index) for index in inside if index >= WINDOW - 1}
    else:
        anchors = set(range(WINDOW - 1, last, EVERY))
    return sorted({WINDOW - 1, *anchors, last}) if last > WINDOW else [last]


def _levels(rest: Vector, anchors: Sequence[int]) -> list[float]:
    """Return the median of the window that ends with each anchor; at once, for one call each takes most of the time."""
    windows = np.asarray(anchors)[:, None] + np.arange(1 - WINDOW, 1)
    return [float(level) for level in np.median(rest[windows], axis=1)]


def _error_of_levels(found: SeriesLevels) -> float:
    """Return the standard error of the difference of two levels, in the noise of a run."""
    return float((2 * MEDIAN_VARIANCE * found.levels.inflation / WINDOW) ** 0.5)


def _creep(found: SeriesLevels, rest: Vector, baseline: int, anchor: int) -> CandidateChange | None:
    """Return what two points differ by when steps are taken out, where it is beyond noise and grew all the way."""
    span = rest[baseline - WINDOW + 1 : anchor + 1]
    before, after = float(np.median(span[:WINDOW])), float(np.median(span[-WINDOW:]))
    parts = np.array_split(span, PARTS)
    middles = [float(np.median(part)) for part in parts]
    scatter = np.concatenate([part - middle for part, middle in zip(parts, middles, strict=True)])
    error = _error_of_levels(found) * max(found.levels.noise, residual_scale(scatter, 0.0))
    size = abs(after - before) / error
    if size < CLEARLY or (np.sign(after - before) * np.diff(middles)).min() <= 0:
        return None
    start, end = (int(found.series.positions[index]) for index in (baseline, anchor))
    told = float(np.median(found.values[baseline - WINDOW + 1 : baseline + 1]))
    return CandidateChange(
        found=found,
        kind=ChangeKind.CREEP,
        previous=start,
        earliest=start,
        position=end,
        latest=end,
        before=told,
        after=told + after - before,
        error=error,
        freedom=float(2 * WINDOW),
        chance=min(1.0, 2 * float(ndtr(-size)) * len(rest)),
    )
