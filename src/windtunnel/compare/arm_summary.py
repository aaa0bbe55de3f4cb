"""What one side of a comparison shows by itself."""

from collections.abc import Sequence

import numpy as np

from windtunnel.compare.effects import DifferenceScale
from windtunnel.compare.format import ArmSummary
from windtunnel.model.measure import Pairing, ProcessValues, StageSamples
from windtunnel.model.result import Interval
from windtunnel.stats.paired_differences import Floats
from windtunnel.stats.student import upper_quantile

CONFIDENCE = 0.95
"""Of a side's own interval; the verdict rests on the interval of the change, which is narrower for being paired."""


def sides(stage_samples: Sequence[StageSamples], scale: DifferenceScale) -> tuple[ArmSummary, ArmSummary]:
    """Return baseline and contender over *passes*, which all belong to one stage; unpaired processes are left out."""
    return (
        _side([(one, one.baseline) for one in stage_samples], scale),
        _side([(one, one.contender) for one in stage_samples], scale),
    )


def _side(parts: Sequence[tuple[StageSamples, ProcessValues]], scale: DifferenceScale) -> ArmSummary:
    if any(one.pairing is Pairing.SEPARATE for one, _ in parts):
        pooled = [value for _, side in parts for value in side.values]
        return ArmSummary(value=float(np.median(pooled)), interval=None, processes=0)
    values = np.array([value for one, side in parts for value in side.values[: one.rounds]], dtype=float)
    return ArmSummary(
        value=_mean(values, scale),
        interval=_interval(values, scale),
        processes=values.size,
        median=_middle([value for one, side in parts for value in side.medians[: one.rounds]]),
        p95=_middle([value for one, side in parts for value in side.p95s[: one.rounds]]),
    )


def _mean(values: Floats, scale: DifferenceScale) -> float:
    return (
        float(np.exp(np.log(values).mean())) if scale is DifferenceScale.RATIO else float((values / values.size).sum())
    )


def _interval(values: Floats, scale: DifferenceScale) -> Interval | None:
    """Return Student's interval of the mean, on logarithms for ratios; None where it does not exist or is boundless."""
    if values.size < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        ends = np.exp(_ends(np.log(values))) if scale is DifferenceScale.RATIO else _ends(values)
    return Interval(low=float(ends[0]), high=float(ends[1])) if np.isfinite(ends).all() else None


def _ends(values: Floats) -> Floats:
    half = upper_quantile((1 - CONFIDENCE) / 2, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size)
    return np.array([values.mean() - half, values.mean() + half])


def _middle(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None
