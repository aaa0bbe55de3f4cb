"""Slow creep: many steps too small to be told apart add up; found against the levels at releases."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from windtunnel.analysis.draft import Draft, is_relevant
from windtunnel.analysis.series_levels import SeriesLevels
from windtunnel.measurement.changes import Kind

WINDOW = 10
"""Runs up to a release that tell its level."""
EVERY = 50
"""Runs between the points that stand in for releases where there are none."""
LEAST_CREEP = 0.05
"""Relative change between baselines that is worth telling when no step explains it."""
CLEARLY = 4.5
"""Standard errors by which it must exceed noise: two-sided 7e-6, for thousands of pairs of baselines."""
MEDIAN_VARIANCE = np.pi / 2
"""Of a median of normal values, in variances of their mean."""


def creeps(found: SeriesLevels, releases: Sequence[int], least: float) -> tuple[Draft, ...]:
    """Return the creeps of *found* between baselines, each beginning where the last one ended.

    *releases* are positions in the history; *least* is what makes a step worth telling: such steps explain themselves.
    """
    steps = [
        shift for shift in found.levels.shifts if is_relevant(found, shift.after - shift.before, shift.before, least)
    ]
    baseline, *later = _anchors(found, releases)
    drafts: list[Draft] = []
    for anchor in later:
        explained = sum(shift.after - shift.before for shift in steps if baseline < shift.position <= anchor)
        starts = [0, *(shift.position for shift in steps)]
        draft = _creep(found, (baseline, anchor), starts, explained)
        if draft and is_relevant(found, draft.difference, draft.before, max(least, LEAST_CREEP)):
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
    return sorted({min(WINDOW - 1, last), *anchors, last})


def _creep(found: SeriesLevels, ends: tuple[int, int], starts: Sequence[int], explained: float) -> Draft | None:
    """Return what the steps leave unexplained between two points, where it is beyond noise."""
    levels = []
    counts = []
    for end in ends:
        start = max(end - WINDOW + 1, *(start for start in starts if start <= end))
        levels.append(float(np.median(found.values[start : end + 1])))
        counts.append(end + 1 - start)
    if min(counts) < WINDOW // 2:
        return None
    after = levels[1] - explained
    variance = MEDIAN_VARIANCE * found.levels.inflation * sum(1 / count for count in counts)
    error = found.levels.noise * variance**0.5
    size = abs(after - levels[0]) / error
    if size < CLEARLY:
        return None
    baseline, latest = (int(found.series.positions[end]) for end in ends)
    return Draft(
        found=found,
        kind=Kind.CREEP,
        previous=baseline,
        earliest=baseline,
        position=latest,
        latest=latest,
        before=levels[0],
        after=after,
        error=error,
        freedom=float(sum(counts)),
        chance=min(1.0, 2 * float(ndtr(-size)) * len(found.values)),
    )
