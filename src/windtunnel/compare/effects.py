"""Trials to differences: one row a case, one column a round, on a scale where zero is no change."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from windtunnel.model.measure import MeasureKind, PairedSamples, Stage, StageSamples
from windtunnel.stats import paired_differences
from windtunnel.stats.paired_differences import Estimates, Floats

MIN_SPREAD = 1e-3
"""Smallest spread that a difference is given credit for: clocks and frequencies of two processes agree no better."""

MAX_RELATIVE_DIFFERENCE = 1e100
"""Change relative to the baseline beyond which a difference is no number to reckon with: its square would overflow."""


class DifferenceScale(StrEnum):
    """What a difference is."""

    RATIO = "ratio"
    """Logarithm of contender / baseline: every value is above zero."""
    SHARE = "share"
    """(contender - baseline) / mean baseline: some value is zero or below."""
    SPAN = "span"
    """(contender - baseline) / largest value: the mean baseline is zero, so no relative change exists."""


def find_scale(paired: PairedSamples) -> DifferenceScale:
    """Return the scale that all values of *trial* allow."""
    before = [value for one in paired.stage_samples for value in one.baseline.values]
    after = [value for one in paired.stage_samples for value in one.contender.values]
    if min((*before, *after), default=1) > 0:
        return DifferenceScale.RATIO
    return DifferenceScale.SHARE if mean_baseline(paired) else DifferenceScale.SPAN


def relative(paired: PairedSamples, difference: float) -> float | None:
    """Return a *difference* on the scale of *trial* as a relative change; null where there is none."""
    if not math.isfinite(difference):
        return None
    match find_scale(paired):
        case DifferenceScale.RATIO:
            return math.expm1(difference)
        case DifferenceScale.SHARE:
            return difference
        case DifferenceScale.SPAN:
            return None


def mean_baseline(paired: PairedSamples) -> float:
    """Return the mean of all baseline values, divided before they are added: their sum may be too large."""
    values = np.array([value for one in paired.stage_samples for value in one.baseline.values], dtype=float)
    return float((values / max(values.size, 1)).sum())


def exact(paired: PairedSamples, stage: Stage) -> bool:
    """Return whether every process of each side gave one and the same value, of something that is not time."""
    before = {value for one in paired.at(stage) for value in one.baseline.values}
    after = {value for one in paired.at(stage) for value in one.contender.values}
    return paired.kind is not MeasureKind.TIME and len(before) <= 1 and len(after) <= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """The estimates of one stage, one entry a trial, and each trial's threshold on its own scale."""

    estimates: Estimates
    thresholds: Floats


def effects(samples: Sequence[PairedSamples], stage: Stage) -> Effects:
    """Return what the interleaved passes of *stage* say of each of *trials*."""
    rows = [differences(paired, stage) for paired in samples]
    matrix = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for index, row in enumerate(rows):
        matrix[index, : len(row)] = row
    floor = np.array([0.0 if exact(paired, stage) else MIN_SPREAD for paired in samples])
    return Effects(estimates=paired_differences.estimate(matrix, floor), thresholds=thresholds(samples))


def thresholds(samples: Sequence[PairedSamples]) -> Floats:
    """Return the threshold of each of *trials* on its scale; a ratio of 1.05 and of 1 / 1.05 are equally far."""
    return np.array(
        [math.log1p(one.threshold) if find_scale(one) is DifferenceScale.RATIO else one.threshold for one in samples]
    )


def differences(paired: PairedSamples, stage: Stage) -> Floats:
    """Return the difference of each round of *stage*, all its passes in a row; infinite where it cannot be computed."""
    before, after = both_sides(paired.at(stage))
    if find_scale(paired) is DifferenceScale.RATIO:
        return np.asarray(np.log(after) - np.log(before))
    if find_scale(paired) is DifferenceScale.SHARE:
        unit = abs(mean_baseline(paired))
    else:
        unit = np.abs(both_sides(paired.stage_samples)).max(initial=0.0) or 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        found = (after - before) / unit
        return np.where(np.abs(found) < MAX_RELATIVE_DIFFERENCE, found, np.inf)


def both_sides(stage_samples: Sequence[StageSamples]) -> Floats:
    """Return the values of baseline and contender in *passes*, shape (2, rounds)."""
    pairs = [pair for one in stage_samples for pair in zip(one.baseline.values, one.contender.values, strict=False)]
    return np.array(pairs, dtype=float).reshape(-1, 2).T
