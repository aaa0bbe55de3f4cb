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

A processor changes its speed while a comparison runs: its other half works for someone else, or its clock slows down.
The same loop beside each sample shows how fast it is, and a ratio of both varies a third to a sixth as much. So a case
that computes also has the differences of these ratios: the narrower interval of both counts.
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
from windtunnel.stats.paired_differences import Estimates, adjust_for, choose
from windtunnel.stats.special import Floats
from windtunnel.stats.two_levels import split_levels

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChanges:
    """How the levels of cases with two levels changed; arrays have one entry per case."""

    found: Flags
    """Whether the case has two levels, or values in loops. Without, the rest means nothing."""
    estimates: Estimates
    """The mean differences within a level, of values in loops where these are known."""
    distance: Floats
    """How far the levels are apart, on the scale of the case; 0 without levels."""
    on_upper: Floats
    """The number of processes of each arm on the upper level, shape (cases, 2)."""


def find_level_changes(
    before: Floats, after: Floats, thresholds: Floats, floor: Floats | float, speeds: Floats | None = None
) -> LevelChanges:
    """Return the changes within levels of *before* and *after*, shape (cases, rounds), NaN where there is none.

    Levels closer than the threshold are not distinguished: they hide no change that matters. Each commit has to show
    both levels: if one of them lies on the lower level and the other on the upper one, that is a change. Cases whose
    values are in loops have *speeds*: how much longer head's loops took, of the same shape, NaN without loops.
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
    found &= np.isfinite(estimates.error)
    known = np.isfinite(speeds).any(axis=1) if speeds is not None else np.zeros_like(found)
    if speeds is not None:
        at_one_speed = paired_differences.estimate(second - first, floor)
        estimates = choose(
            known & ~(found & (estimates.error < WORTHWHILE * at_one_speed.error)), at_one_speed, estimates
        )
        by_speed = adjust_for(second - first, speeds, floor)
        estimates = choose(known & (by_speed.error < WORTHWHILE * estimates.error), by_speed, estimates)
    return LevelChanges(
        found=found | known,
        estimates=estimates,
        distance=np.where(found, splits.distance, 0.0),
        on_upper=np.stack([one.sum(axis=1) for one in upper], axis=1),
    )


WORTHWHILE = 0.8
"""The standard error, as a share of that without a correction, below which it is made: chance makes others."""

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
    plain = to_matrix([differences(one, stage) for one in samples])
    floor = np.array([0.0 if is_exact(one, stage) else MIN_SPREAD for one in samples])
    known = np.array([_is_looped(one, stage) for one in samples], dtype=bool)
    arms = [_logarithms(one, stage, in_loops=looped) for one, looped in zip(samples, known.tolist(), strict=True)]
    before, after = (to_matrix([arm[side] for arm in arms]) for side in (0, 1))
    speeds = np.where(known[:, None], plain - (after - before), np.nan)
    limits = thresholds(samples)
    return Effects(
        estimates=paired_differences.estimate(plain, floor),
        thresholds=limits,
        levels=find_level_changes(before, after, limits, floor, speeds),
    )


def _is_looped(samples: PairedSamples, stage: Stage) -> bool:
    """Return whether every value is known in loops; a verdict may come from anywhere."""
    arms = [arm for one in samples.at(stage) for arm in (one.baseline, one.contender)]
    known = all(len(arm.in_loops) == len(arm.values) and min(arm.in_loops, default=0) > 0 for arm in arms)
    return bool(arms) and find_scale(samples) == "ratio" and known


def _logarithms(samples: PairedSamples, stage: Stage, *, in_loops: bool) -> Floats:
    """Return the logarithms of both arms, shape (2, rounds); NaN for a case without ratios."""
    values = _both_arms(samples.at(stage), in_loops=in_loops)
    return np.log(values) if find_scale(samples) == "ratio" else np.full(values.shape, np.nan)


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


def _both_arms(stage_samples: Sequence[StageSamples], *, in_loops: bool = False) -> Floats:
    """Return the values of baseline and contender in complete rounds, shape (2, rounds)."""
    arms = [[one.in_loops if in_loops else one.values for one in (of.baseline, of.contender)] for of in stage_samples]
    pairs = [pair for each in arms for pair in zip(*each, strict=False)]
    return np.array(pairs, dtype=float).reshape(-1, 2).T
