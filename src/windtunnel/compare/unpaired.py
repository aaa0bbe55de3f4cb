"""Estimate changes between two separate runs, and find a change that nearly all cases share.

A stored result pools the samples of its processes, so the unit is not a process; and between two runs, time and
perhaps machine differ. Each case therefore gives one difference, which is compared with the spread of all cases of the
same unit (`windtunnel.stats.multiple_testing.estimate_null`).

If base and head ran in alternation, a common change is a result (an interpreter, a dependency, build flags) that is
reported once. If they ran separately, the machine is its most likely cause, so it is divided out.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from windtunnel.compare.effects import MIN_SPREAD, DifferenceScale, find_scale, is_exact, mean_baseline
from windtunnel.compare.format import CommonChange
from windtunnel.compare.samples_format import PairedSamples, Pairing
from windtunnel.model.measure import MeasureKind
from windtunnel.model.schedule import Stage
from windtunnel.stats.multiple_testing import FREEDOM, MIN_CASES, estimate_null
from windtunnel.stats.paired_differences import Estimates
from windtunnel.stats.student import Floats

MEDIAN_EFFICIENCY = 1.2533141373155001
"""The standard error of a median divided by that of a mean, for normal values: √(π/2)."""

MIN_COMMON_CASES = 10
"""Cases below which no change is called common."""

MIN_COMMON_SHARE = 0.8
"""The share of cases that have to lie near the common change."""

MIN_COMMON_CHANGE = 0.01
"""The smallest median change that is reported; a suite of 150 cases without a change stays below 0.3 %."""


def is_unpaired(samples: PairedSamples) -> bool:
    """Return whether any of *samples* were measured in two separate runs."""
    return any(one.pairing is Pairing.SEPARATE for one in samples.stage_samples)


def find_common_change(logarithms: Floats) -> CommonChange | None:
    """Return the median change if MIN_COMMON_SHARE of the *logarithms* of ratios lie within half of it."""
    if logarithms.size < MIN_COMMON_CASES:
        return None
    centre = float(np.median(logarithms))
    near = np.abs(logarithms - centre) <= abs(centre) / 2
    if abs(centre) < math.log1p(MIN_COMMON_CHANGE) or near.mean() < MIN_COMMON_SHARE:
        return None
    return CommonChange(relative_change=math.expm1(centre), cases=int(near.sum()), removed=False)


def estimate_unpaired(samples: Sequence[PairedSamples]) -> tuple[Estimates, CommonChange | None]:
    """Return the estimates of separately measured *samples*, and the common change of all times that is divided out.

    The error is infinite if fewer than MIN_CASES cases have the unit, and zero if a case is exact.
    """
    found = np.array([_difference(one) for one in samples], dtype=float).reshape(-1, 2)
    mean, error, common = found[:, 0].copy(), np.full(len(samples), np.inf), None
    for same in _by_unit(samples):
        if same.size < MIN_CASES:
            continue
        null = estimate_null(found[same, 0], found[same, 1])
        error[same] = np.maximum(np.hypot(null.spread, found[same, 1]), MIN_SPREAD)
        if samples[same[0]].kind is MeasureKind.TIME:
            mean[same] -= null.centre
            change = math.expm1(null.centre)
            shown = abs(change) >= MIN_COMMON_CHANGE
            common = CommonChange(relative_change=change, cases=same.size, removed=True) if shown else None
    error[[_shows_exactness(one) for one in samples]] = 0.0
    ones = np.ones(len(samples))
    rows = np.full((len(samples), 0), np.nan)
    return Estimates(count=ones, mean=mean, error=error, freedom=FREEDOM * ones, rows=rows), common


def _by_unit(samples: Sequence[PairedSamples]) -> list[NDArray[np.intp]]:
    """Return the indices of the cases of each unit and scale."""
    groups: dict[tuple[str, str, DifferenceScale], list[int]] = {}
    for index, one in enumerate(samples):
        groups.setdefault((one.kind, one.unit, find_scale(one)), []).append(index)
    return [np.array(group) for group in groups.values()]


def _shows_exactness(samples: PairedSamples) -> bool:
    """Return whether each arm has several values and all of them are equal."""
    arms = [arm for one in samples.stage_samples for arm in (one.baseline, one.contender)]
    return all(len(arm.values) > 1 for arm in arms) and is_exact(samples, Stage.SCREENING)


def _difference(samples: PairedSamples) -> tuple[float, float]:
    """Return the difference of the medians on the scale of *samples*, and its standard error within the runs."""
    one = samples.at(Stage.SCREENING)[0]
    before, after = (np.asarray(arm.values, dtype=float) for arm in (one.baseline, one.contender))
    low, high = float(np.median(before)), float(np.median(after))
    errors = _median_error(before), _median_error(after)
    match find_scale(samples):
        case DifferenceScale.RATIO:
            return float(np.log(high) - np.log(low)), float(np.hypot(errors[0] / low, errors[1] / high))
        case DifferenceScale.SHARE:
            unit = abs(mean_baseline(samples))
        case DifferenceScale.SPAN:
            unit = float(max(np.abs(before).max(), np.abs(after).max())) or 1.0
    return (high - low) / unit, float(np.hypot(*errors)) / unit


def _median_error(values: Floats) -> float:
    return MEDIAN_EFFICIENCY * float(values.std(ddof=1)) / float(np.sqrt(values.size)) if values.size > 1 else 0.0
