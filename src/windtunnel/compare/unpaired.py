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

from windtunnel.compare.common_change import SMALLEST
from windtunnel.compare.effects import TICK, Scale, exact, mean_baseline, scale_of
from windtunnel.compare.format import CommonChange
from windtunnel.model.measure import Kind, Pairing, Pass, Stage, Trial
from windtunnel.stats.empirical_null import FEWEST, FREEDOM, Null, between_runs
from windtunnel.stats.paired_differences import Estimates, Floats

MEDIAN_EFFICIENCY = 1.2533141373155001
"""Standard error of a median in standard errors of a mean, for normal values: √(π/2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """The estimates, one entry a trial, freed of the factor that all times share."""

    estimates: Estimates
    common: CommonChange | None


def is_apart(trial: Trial) -> bool:
    """Return whether any pass of *trial* was measured in two separate runs."""
    return any(one.pairing is Pairing.SEPARATE for one in trial.passes)


def apart(trials: Sequence[Trial]) -> Apart:
    """Return what separately measured *trials* say; an infinite error where their unit has fewer than FEWEST cases."""
    found = np.array([_difference(trial) for trial in trials], dtype=float).reshape(-1, 2)
    mean, error, common = found[:, 0].copy(), np.full(len(trials), np.inf), None
    for same in _by_unit(trials):
        if same.size < FEWEST:
            continue
        null = between_runs(found[same, 0], found[same, 1])
        error[same] = np.maximum(np.hypot(null.spread, found[same, 1]), TICK)
        if trials[same[0]].kind is Kind.TIME:
            mean[same] -= null.centre
            common = _removed(null, same.size)
    error[[_certain(trial) for trial in trials]] = 0.0
    ones = np.ones(len(trials))
    rows = np.full((len(trials), 0), np.nan)
    estimates = Estimates(count=ones, mean=mean, error=error, freedom=FREEDOM * ones, rows=rows)
    return Apart(estimates=estimates, common=common)


def _by_unit(trials: Sequence[Trial]) -> list[NDArray[np.intp]]:
    """Return the indices of the trials of each unit; relative and other scales do not mix."""
    groups: dict[tuple[str, str, Scale], list[int]] = {}
    for index, trial in enumerate(trials):
        groups.setdefault((trial.kind, trial.unit, scale_of(trial)), []).append(index)
    return [np.array(group) for group in groups.values()]


def _removed(null: Null, cases: int) -> CommonChange | None:
    change = math.expm1(null.centre)
    return CommonChange(relative_change=change, cases=cases, removed=True) if abs(change) >= SMALLEST else None


def _certain(trial: Trial) -> bool:
    """Return whether *trial* shows by itself that it is exact: more than one value a side, and all of them equal."""
    several = all(len(side.values) > 1 for one in trial.passes for side in (one.baseline, one.contender))
    return several and exact(trial, Stage.SCREENING)


def _difference(trial: Trial) -> tuple[float, float]:
    """Return the difference of the medians on the scale of *trial* and the standard error that its samples claim."""
    one: Pass = trial.at(Stage.SCREENING)[0]
    before, after = (np.asarray(side.values, dtype=float) for side in (one.baseline, one.contender))
    low, high = float(np.median(before)), float(np.median(after))
    errors = np.hypot(_median_error(before), _median_error(after))
    match scale_of(trial):
        case Scale.RATIO:
            relative = np.hypot(_median_error(before) / low, _median_error(after) / high)
            return float(np.log(high) - np.log(low)), float(relative)
        case Scale.SHARE:
            return (high - low) / abs(mean_baseline(trial)), float(errors / abs(mean_baseline(trial)))
        case Scale.SPAN:
            span = max(np.abs(before).max(), np.abs(after).max()) or 1.0
            return (high - low) / span, float(errors / span)


def _median_error(values: Floats) -> float:
    return MEDIAN_EFFICIENCY * float(values.std(ddof=1)) / float(np.sqrt(values.size)) if values.size > 1 else 0.0
