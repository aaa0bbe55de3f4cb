"""Trials whose sides were measured in two separate runs: what can still be said, and at what price.

The samples of a stored result are pooled over processes, so the process is lost as the unit; and between two runs lie
another hour and perhaps another machine. Each case therefore is one difference, held against the spread of all cases
with the same unit (stats.empirical_null).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.compare.effects import MIN_SPREAD, DifferenceScale, exact, find_scale, mean_baseline
from windtunnel.compare.format import CommonChange
from windtunnel.model.measure import MeasureKind, PairedSamples, Pairing, Stage, StageSamples
from windtunnel.stats.multiple_testing import FREEDOM, MIN_CASES, EmpiricalNull, between_runs
from windtunnel.stats.paired_differences import Estimates, Floats

MEDIAN_EFFICIENCY = 1.2533141373155001
"""Standard error of a median in standard errors of a mean, for normal values: √(π/2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpairedEstimates:
    """The estimates, one entry a trial, freed of the factor that all times share."""

    estimates: Estimates
    common: CommonChange | None


def is_unpaired(paired: PairedSamples) -> bool:
    """Return whether any pass of *trial* was measured in two separate runs."""
    return any(one.pairing is Pairing.SEPARATE for one in paired.stage_samples)


def apart(samples: Sequence[PairedSamples]) -> UnpairedEstimates:
    """Return what separately measured *trials* say; an infinite error where their unit has fewer than FEWEST cases."""
    found = np.array([_difference(paired) for paired in samples], dtype=float).reshape(-1, 2)
    mean, error, common = found[:, 0].copy(), np.full(len(samples), np.inf), None
    for same in _by_unit(samples):
        if same.size < MIN_CASES:
            continue
        null = between_runs(found[same, 0], found[same, 1])
        error[same] = np.maximum(np.hypot(null.spread, found[same, 1]), MIN_SPREAD)
        if samples[same[0]].kind is MeasureKind.TIME:
            mean[same] -= null.centre
            common = _removed(null, same.size)
    error[[_certain(paired) for paired in samples]] = 0.0
    ones = np.ones(len(samples))
    rows = np.full((len(samples), 0), np.nan)
    estimates = Estimates(count=ones, mean=mean, error=error, freedom=FREEDOM * ones, rows=rows)
    return UnpairedEstimates(estimates=estimates, common=common)


def _by_unit(samples: Sequence[PairedSamples]) -> list[NDArray[np.intp]]:
    """Return the indices of the trials of each unit; relative and other scales do not mix."""
    groups: dict[tuple[str, str, DifferenceScale], list[int]] = {}
    for index, paired in enumerate(samples):
        groups.setdefault((paired.kind, paired.unit, find_scale(paired)), []).append(index)
    return [np.array(group) for group in groups.values()]


def _removed(null: EmpiricalNull, cases: int) -> CommonChange | None:
    change = math.expm1(null.centre)
    return CommonChange(relative_change=change, cases=cases, removed=True) if abs(change) >= MIN_COMMON_CHANGE else None


def _certain(paired: PairedSamples) -> bool:
    """Return whether *trial* shows by itself that it is exact: more than one value a side, and all of them equal."""
    several = all(len(side.values) > 1 for one in paired.stage_samples for side in (one.baseline, one.contender))
    return several and exact(paired, Stage.SCREENING)


def _difference(paired: PairedSamples) -> tuple[float, float]:
    """Return the difference of the medians on the scale of *trial* and the standard error that its samples claim."""
    one: StageSamples = paired.at(Stage.SCREENING)[0]
    before, after = (np.asarray(side.values, dtype=float) for side in (one.baseline, one.contender))
    low, high = float(np.median(before)), float(np.median(after))
    errors = np.hypot(_median_error(before), _median_error(after))
    match find_scale(paired):
        case DifferenceScale.RATIO:
            relative = np.hypot(_median_error(before) / low, _median_error(after) / high)
            return float(np.log(high) - np.log(low)), float(relative)
        case DifferenceScale.SHARE:
            return (high - low) / abs(mean_baseline(paired)), float(errors / abs(mean_baseline(paired)))
        case DifferenceScale.SPAN:
            span = max(np.abs(before).max(), np.abs(after).max()) or 1.0
            return (high - low) / span, float(errors / span)


def _median_error(values: Floats) -> float:
    return MEDIAN_EFFICIENCY * float(values.std(ddof=1)) / float(np.sqrt(values.size)) if values.size > 1 else 0.0


MIN_CASES_IN_COMMON = 10
"""Cases below which "nearly everything" says nothing."""

MIN_SHARE = 0.8
"""Of all cases, how many have to lie near the common factor."""

MIN_COMMON_CHANGE = 0.01
"""Change in the middle case below which nothing is said: a suite of 150 without a change stays below 0.3 %."""


def find_common_change(logarithms: Floats) -> CommonChange | None:
    """Return the change that four of five *logarithms* of ratios lie within half of, if there is one."""
    if logarithms.size < MIN_CASES_IN_COMMON:
        return None
    centre = float(np.median(logarithms))
    near = np.abs(logarithms - centre) <= abs(centre) / 2
    if abs(centre) < math.log1p(MIN_COMMON_CHANGE) or near.mean() < MIN_SHARE:
        return None
    return CommonChange(relative_change=math.expm1(centre), cases=int(near.sum()), removed=False)
