"""Compute the differences between two arms: a row per case, a column per round, where 0 means no change.

Compares cases that have two levels within each level.

The processes of such a case run at one of two speeds by chance, for example by their memory layout. The levels are
found in the processes of both commits together, and the difference of a round is corrected for the levels of its two
processes: the analysis of covariance, Cochran, W. G. (1957), doi:10.2307/2527916.

Without a change, base and head are exchangeable within a round, and the levels do not depend on which process is whose.
So the mean of the corrected differences is as likely to lie above zero as below, also where a case was taken for one
with two levels by mistake: covariates that random assignment does not affect leave the test valid (Freedman, D. A.
(2008), doi:10.1016/j.aam.2006.12.003). What does affect the level is a change of the share of slow processes. It shows
in the mean difference, which is therefore tested as well.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from windtunnel.compare.samples_format import PairedSamples, StageSamples
from windtunnel.model.schedule import Stage
from windtunnel.stats import paired_differences
from windtunnel.stats.paired_differences import Estimates, adjust_for
from windtunnel.stats.special import Floats
from windtunnel.stats.two_levels import split_levels

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChanges:
    """How the levels of cases with two levels changed; arrays have one entry per case."""

    found: Flags
    """Whether the case has two levels. Without, the other fields mean nothing."""
    estimates: Estimates
    """The mean differences within a level."""
    distance: Floats
    """How far the levels are apart, on the scale of the case."""
    on_upper: Floats
    """The number of processes of each arm on the upper level, shape (cases, 2)."""


def find_level_changes(before: Floats, after: Floats, thresholds: Floats, floor: Floats | float) -> LevelChanges:
    """Return the changes within levels of *before* and *after*, shape (cases, rounds), NaN where there is none.

    Levels closer than the threshold are not distinguished: they hide no change that matters. Each commit has to show
    both levels: if one of them lies on the lower level and the other on the upper one, that is a change.
    """
    paired = np.isfinite(before) & np.isfinite(after)
    first, second = np.where(paired, before, np.nan), np.where(paired, after, np.nan)
    splits = split_levels(np.concatenate([first, second], axis=1), floor)
    rounds = first.shape[1]
    upper = [splits.is_upper[:, :rounds], splits.is_upper[:, rounds:]]
    crossings = np.where(paired, upper[1].astype(float) - upper[0], np.nan)
    both_levels = np.all([[one.any(axis=1), (paired & ~one).any(axis=1)] for one in upper], axis=(0, 1))
    found = splits.found & (splits.distance >= thresholds) & both_levels
    estimates = adjust_for(second - first, crossings, floor)
    return LevelChanges(
        found=found & np.isfinite(estimates.error),
        estimates=estimates,
        distance=splits.distance,
        on_upper=np.stack([one.sum(axis=1) for one in upper], axis=1),
    )


MIN_SPREAD = 1e-3
"""The smallest standard deviation that differences of measured values are assumed to have.

Clocks and frequencies of two processes agree no better.
"""

MAX_RELATIVE_DIFFERENCE = 1e100
"""The largest difference, relative to the baseline, that is computed with: the square of a larger one may overflow."""


DifferenceScale = Literal["ratio", "share", "span"]
"""How the differences of a case are expressed.

``ratio`` is the logarithm of contender / baseline, where every value is above zero; ``share`` is
(contender - baseline) / mean baseline, where some value is zero or below; ``span`` is
(contender - baseline) / largest value, where the mean baseline is zero, so that no relative change exists.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """The differences of one stage; arrays have one entry per case."""

    estimates: Estimates
    """Mean differences and their errors, each on the scale of its case."""
    thresholds: Floats
    """The thresholds on the same scales."""
    levels: LevelChanges
    """The changes of cases with two levels."""


def compute_effects(samples: Sequence[PairedSamples], stage: Stage) -> Effects:
    """Return the effects that the interleaved samples of *stage* show."""
    rows = [differences(one, stage) for one in samples]
    floor = np.array([0.0 if is_exact(one, stage) else MIN_SPREAD for one in samples])
    limits = thresholds(samples)
    return Effects(
        estimates=paired_differences.estimate(to_matrix(rows), floor),
        thresholds=limits,
        levels=find_level_changes(*_logarithms(samples, stage), limits, floor),
    )


def _logarithms(samples: Sequence[PairedSamples], stage: Stage) -> tuple[Floats, Floats]:
    """Return the logarithms of both arms, shape (cases, rounds); none of a case without ratios."""
    ratios = [find_scale(one) == "ratio" for one in samples]
    arms = [np.log(_both_arms(one.at(stage) if ratio else ())) for one, ratio in zip(samples, ratios, strict=True)]
    return to_matrix([arm[0] for arm in arms]), to_matrix([arm[1] for arm in arms])


def to_matrix(rows: Sequence[Floats]) -> Floats:
    """Return *rows* of different lengths in one array, with NaN at their ends."""
    matrix = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for index, row in enumerate(rows):
        matrix[index, : len(row)] = row
    return matrix


def differences(samples: PairedSamples, stage: Stage) -> Floats:
    """Return the difference of each round of *stage*; infinite where it cannot be computed."""
    before, after = _both_arms(samples.at(stage))
    match find_scale(samples):
        case "ratio":
            return np.asarray(np.log(after) - np.log(before))
        case "share":
            unit = abs(mean_baseline(samples))
        case "span":
            unit = float(np.abs(_both_arms(samples.stage_samples)).max(initial=0.0)) or 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        found = (after - before) / unit
        return np.where(np.abs(found) < MAX_RELATIVE_DIFFERENCE, found, np.inf)


def thresholds(samples: Sequence[PairedSamples]) -> Floats:
    """Return the threshold of each case on its scale; on ratios, 1.05 and 1 / 1.05 are equally far from 1."""
    return np.array([math.log1p(one.threshold) if find_scale(one) == "ratio" else one.threshold for one in samples])


def find_scale(samples: PairedSamples) -> DifferenceScale:
    """Return the scale that all values of *samples* allow."""
    values = [value for one in samples.stage_samples for arm in (one.baseline, one.contender) for value in arm.values]
    if min(values, default=1) > 0:
        return "ratio"
    return "share" if mean_baseline(samples) else "span"


def to_relative_change(value: float, scale: DifferenceScale) -> float | None:
    """Return a difference on *scale* as a relative change; None if there is none or if it is infinite."""
    if scale == "span":
        return 0.0 if value == 0 else None
    with np.errstate(over="ignore"):
        change = float(np.expm1(value)) if scale == "ratio" else value
    return change if math.isfinite(change) else None


def mean_baseline(samples: PairedSamples) -> float:
    """Return the mean of all baseline values; each is divided first, because their sum may overflow."""
    values = np.array([value for one in samples.stage_samples for value in one.baseline.values], dtype=float)
    return float((values / max(values.size, 1)).sum())


def is_exact(samples: PairedSamples, stage: Stage) -> bool:
    """Return whether the case is not a duration and every process of an arm gave the same value in *stage*."""
    before = {value for one in samples.at(stage) for value in one.baseline.values}
    after = {value for one in samples.at(stage) for value in one.contender.values}
    return samples.kind != "time" and len(before) <= 1 and len(after) <= 1


def _both_arms(stage_samples: Sequence[StageSamples]) -> Floats:
    """Return the values of baseline and contender in complete rounds, shape (2, rounds)."""
    pairs = [pair for one in stage_samples for pair in zip(one.baseline.values, one.contender.values, strict=False)]
    return np.array(pairs, dtype=float).reshape(-1, 2).T
