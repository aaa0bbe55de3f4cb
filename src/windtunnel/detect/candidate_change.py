"""Changes of single series before their commits are known, and their groups by cause; positions are in the history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from windtunnel.detect import format as detected
from windtunnel.detect.levels import SeriesLevels
from windtunnel.detect.series import Series
from windtunnel.model.run import DatedCommit, Interval
from windtunnel.stats.change_evidence import Shift
from windtunnel.stats.level_shifts import piecewise_medians
from windtunnel.stats.special import Vector, upper_quantile

CONFIDENCE = 0.95
"""Of the interval of a relative change."""
MAX_CHART = 30
"""Values of a chart on either side of a change."""
PLOT_DIGITS = 4
"""Significant digits of a plotted value."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateChange:
    """A change of one series."""

    found: SeriesLevels
    """The series."""
    kind: detected.ChangeKind
    previous: int
    """Position of the last run before the change."""
    earliest: int
    """Position of the last run that is certainly before the change."""
    position: int
    """Most likely position of the change."""
    latest: int
    """Last possible position of the change."""
    shift: Shift
    """The levels and their evidence, on the series' scale."""
    status: detected.ChangeStatus = "current"
    flip: bool = False
    """Whether the series had the new level, and left it, several times before."""

    @property
    def difference(self) -> float:
        """The change, on the series' scale."""
        return self.shift.after - self.shift.before

    @property
    def relative_change(self) -> float | None:
        """After / before - 1; None where before is not above zero."""
        scale = self.found.scale
        return scale.relative_change(scale.from_scale(self.shift.before), self.difference)

    @property
    def interval(self) -> Interval | None:
        """The 95 % confidence interval of the relative change, by Student's t."""
        scale, before = self.found.scale, self.found.scale.from_scale(self.shift.before)
        half = float(upper_quantile((1 - CONFIDENCE) / 2, self.shift.freedom)) * self.shift.error
        low, high = (scale.relative_change(before, self.difference + width) for width in (-half, half))
        return None if low is None or high is None else Interval(low=low, high=high)

    @property
    def direction(self) -> detected.Direction:
        """Worse or better, by what the owner or the unit states."""
        better = (self.difference > 0) == (self.found.series.expectation.better == "higher")
        return "improved" if better else "regressed"

    @property
    def case(self) -> detected.MeasuredCase:
        """The case that changed."""
        return case_of(self.found.series)

    def _window(self) -> tuple[NDArray[np.int64], int]:
        """Return the indices of the values of a chart, and which of them is the first after the change.

        Those of a creep are thinned out evenly.
        """
        positions = self.found.series.positions
        at = int(np.searchsorted(positions, self.position))
        if self.kind == "creep":
            start = int(np.searchsorted(positions, self.previous))
            chosen = np.unique(np.linspace(max(0, start - MAX_CHART // 2), at, 2 * MAX_CHART).round().astype(np.int64))
            return chosen, int(np.count_nonzero(chosen <= start))
        chosen = np.arange(max(0, at - MAX_CHART), min(len(positions), at + MAX_CHART))
        return chosen, at - int(chosen[0])

    def chart(self, name: str, commits: Sequence[DatedCommit]) -> detected.EventChart:
        """Return the values around the change with the id *name*; *commits* is the history, oldest first."""
        found, scale = self.found, self.found.scale
        chosen, change_index = self._window()
        values = round_values(found.series.values[chosen])
        corrected = round_values(np.array([scale.from_scale(float(each)) for each in found.values[chosen]]))
        starts = [int(at) for at in np.searchsorted(chosen, found.starts) if 0 < at < len(chosen)]
        at_change = {change_index} if self.kind != "creep" else set[int]()
        bounds = sorted({0, *starts, *at_change})
        levels = piecewise_medians(found.values[chosen], bounds[1:])
        known = {change_index - 1: self.shift.before, change_index: self.shift.after} if at_change else {}
        return detected.EventChart(
            change=name,
            commits=tuple(commits[int(at)].hash[: detected.COMMIT_DIGITS] for at in found.series.positions[chosen]),
            values=values,
            corrected=corrected if corrected != values else (),
            levels=tuple(
                detected.ChartLevel(start=start, value=scale.from_scale(_level(known, levels, start, end)))
                for start, end in pairwise((*bounds, len(chosen)))
            ),
            change_index=change_index,
        )


def _level(known: Mapping[int, float], levels: Vector, start: int, end: int) -> float:
    """Return the level from *start* to *end*: a *known* one, by one of its points, else the median."""
    return next((level for at, level in known.items() if start <= at < end), float(levels[start]))


def is_relevant(
    found: SeriesLevels, difference: float, before: float, min_change: float = 0.0, *, exceeds_noise: bool = False
) -> bool:
    """Return whether *difference* reaches the owner's threshold, *min_change* and the noise of a single run.

    With *exceeds_noise*, the noise does not matter.
    """
    relative = found.scale.relative_change(found.scale.from_scale(before), difference)
    large = relative is None or abs(relative) >= max(min_change, found.series.expectation.threshold)
    return large and (exceeds_noise or abs(difference) >= found.levels.noise)


def case_of(series: Series) -> detected.MeasuredCase:
    """Return the case that *series* belongs to."""
    key = series.key
    return detected.MeasuredCase(
        benchmark=key.benchmark,
        params=key.params,
        environment=key.target.environment,
        machine=key.target.machine,
        version=key.version,
    )


def round_values(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Return *values* with the digits that a plot needs."""
    return tuple(float(f"{value:.{PLOT_DIGITS}g}") for value in values)


CommonCause = Sequence[CandidateChange]
"""Changes with one cause; the first one determines its positions."""


def group_by_cause(changes: Sequence[CandidateChange]) -> tuple[CommonCause, ...]:
    """Return the causes of *changes*, oldest first.

    The changes with the most certain positions found the groups, the others join them. A creep is a cause of its own
    for each pair of baselines.
    """
    groups: list[list[CandidateChange]] = []
    for change in sorted(changes, key=_certainty):
        fitting = [group for group in groups if _fits(change, group[0])]
        if fitting:
            max(fitting, key=lambda group: (len(group), -abs(group[0].position - change.position))).append(change)
        else:
            groups.append([change])
    return tuple(sorted(groups, key=lambda group: (group[0].position, group[0].earliest)))


def _certainty(change: CandidateChange) -> tuple[int, float, int, tuple[str, ...]]:
    """Sort the most certain position first, then the strongest change; ties are broken by name."""
    key = change.found.series.key
    name = (key.benchmark, *key.params, *key.target, key.version or "")
    return change.latest - change.earliest, -abs(change.difference) / change.shift.error, change.position, name


def _fits(change: CandidateChange, founder: CandidateChange) -> bool:
    """Return whether the possible positions of *change* overlap those of *founder*."""
    if "creep" in {change.kind, founder.kind} and change.kind != founder.kind:
        return False
    if change.kind == "creep":
        return (change.previous, change.position) == (founder.previous, founder.position)
    return change.earliest < founder.latest and founder.earliest < change.latest
