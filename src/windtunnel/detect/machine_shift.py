"""Detects machine shifts, in which nearly all times of a target change by the same factor, and reports each once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import NDArray

from windtunnel.detect.candidate_change import CandidateChange, CommonCause
from windtunnel.detect.levels import MEDIAN_VARIANCE, SeriesLevels, build_table
from windtunnel.detect.series import SeriesTarget
from windtunnel.stats.change_points import Matrix
from windtunnel.stats.special import MEDIAN_OF_NORMAL, Vector

MIN_CASES = 10
"""Cases that a target needs before "nearly all" means something."""
MIN_SAME_DIRECTION = 0.8
"""Share of the cases that must change in the same direction."""
MIN_SIMILAR = 0.6
"""Share of the cases that must lie near the median change; a change of code affects some cases more than others."""
MAX_RELATIVE_DISTANCE = 0.5
"""How far from the median a similar case may lie, as a share of the median change."""
MAX_DISTANCE = 0.2
"""How far from the median a similar case may lie, as a logarithm; machines affect cases differently."""
MIN_SHIFT = 0.03
"""Smallest median change to report, as a logarithm."""
WINDOW = 5
"""Runs on either side that determine a case's change."""
MIN_RUNS = 2
"""Runs on either side in which a case must have been measured."""
MAX_MISPLACEMENT = 2
"""Runs by which a case may misplace the shift."""
MAX_ERRORS = 2.0
"""Standard errors by which a similar case may miss the median."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TargetShift:
    """A shift of all times at one target; positions are those of the history, changes are logarithms."""

    target: SeriesTarget
    before: int
    """Position of the last run before the shift."""
    position: int
    """Position of the first run after it."""
    first: int
    """The first position at which a case may place the shift."""
    last: int
    """The last position at which a case may place the shift."""
    change: float
    """The median change."""
    error: float
    """Its standard error."""
    similar: int
    """How many cases lie near the median change."""
    total: int
    """How many cases were measured before and after."""

    def explains(self, change: CandidateChange) -> bool:
        """Return whether *change* is nothing but this shift."""
        found = change.found
        if change.kind != "step" or found.series.key.target != self.target or not found.shows_machine:
            return False
        if not self.first <= change.position <= self.last or (change.difference > 0) != (self.change > 0):
            return False
        excess = abs(change.difference) - abs(self.change)
        return excess <= min(abs(self.change), MAX_DISTANCE) + MAX_ERRORS * change.shift.error

    def repeats(self, other: "TargetShift") -> bool:
        """Return whether this is *other*, placed a run or two beside it."""
        same_direction = (self.change > 0) == (other.change > 0)
        return self.target == other.target and same_direction and other.first <= self.position <= other.last


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TargetTimes:
    """All times at one target."""

    target: SeriesTarget
    positions: NDArray[np.int64]
    """Positions of the runs in the history."""
    table: Matrix
    """Logarithms of times, series x runs; NaN where not measured."""
    noise: Vector
    """The noise of each series."""

    @classmethod
    def of(cls, target: SeriesTarget, found: Iterable[SeriesLevels]) -> Self:
        """Collect the series of *found*, all of *target*, that show the speed of its machine."""
        series = [one for one in found if one.shows_machine]
        positions, table = build_table(series, [one.values for one in series])
        noise = np.array([one.levels.noise * one.levels.inflation**0.5 for one in series])
        return cls(target=target, positions=positions, table=table, noise=noise)

    def find_shift(self, position: int) -> TargetShift | None:
        """Return the shift with the run at *position*; None where there is none."""
        at = int(np.searchsorted(self.positions, position))
        old, new = self.table[:, max(0, at - WINDOW) : at], self.table[:, at : at + WINDOW]
        n_old, n_new = np.isfinite(old).sum(axis=1), np.isfinite(new).sum(axis=1)
        measured = (n_old >= MIN_RUNS) & (n_new >= MIN_RUNS)
        if np.count_nonzero(measured) < MIN_CASES:
            return None
        changes = np.nanmedian(new[measured], axis=1) - np.nanmedian(old[measured], axis=1)
        errors = self.noise[measured] * (MEDIAN_VARIANCE * (1 / n_old[measured] + 1 / n_new[measured])) ** 0.5
        middle = float(np.median(changes))
        distance = min(MAX_RELATIVE_DISTANCE * abs(middle), MAX_DISTANCE)
        similar = np.abs(changes - middle) <= distance + MAX_ERRORS * errors
        same_direction = float(np.mean(np.sign(changes) == np.sign(middle)))
        if abs(middle) < MIN_SHIFT or same_direction < MIN_SAME_DIRECTION or float(similar.mean()) < MIN_SIMILAR:
            return None
        spread = float(np.median(np.abs(changes - middle))) / MEDIAN_OF_NORMAL
        return TargetShift(
            target=self.target,
            before=int(self.positions[at - 1]),
            position=int(self.positions[at]),
            first=int(self.positions[max(0, at - MAX_MISPLACEMENT)]),
            last=int(self.positions[min(len(self.positions) - 1, at + MAX_MISPLACEMENT)]),
            change=middle,
            error=spread * (MEDIAN_VARIANCE / len(changes)) ** 0.5,
            similar=int(similar.sum()),
            total=len(changes),
        )


def find_target_shifts(found: Sequence[SeriesLevels], causes: Sequence[CommonCause]) -> tuple[TargetShift, ...]:
    """Return the shifts at the positions of *causes*, each once, oldest first."""
    times: dict[SeriesTarget, TargetTimes] = {}
    series: dict[SeriesTarget, list[SeriesLevels]] = defaultdict(list)
    for one in found:
        series[one.series.key.target].append(one)
    shifts: dict[SeriesTarget, list[TargetShift]] = defaultdict(list)
    for cause in sorted(causes, key=lambda cause: -len(cause)):
        steps = (change for change in cause if change.kind == "step")
        for target in sorted({change.found.series.key.target for change in steps}):
            if target not in times:
                times[target] = TargetTimes.of(target, series[target])
            shift = times[target].find_shift(cause[0].position)
            if shift and not any(shift.repeats(other) for other in shifts[target]):
                shifts[target].append(shift)
    return tuple(sorted(chain.from_iterable(shifts.values()), key=lambda shift: (shift.position, shift.target)))


def split_explained(
    changes: Iterable[CandidateChange], shifts: Sequence[TargetShift]
) -> tuple[list[CandidateChange], list[CandidateChange]]:
    """Return the changes that one of *shifts* explains, and the others."""
    by_target: dict[SeriesTarget, list[TargetShift]] = defaultdict(list)
    for shift in shifts:
        by_target[shift.target].append(shift)
    explained, own = list[CandidateChange](), list[CandidateChange]()
    for change in changes:
        here = by_target.get(change.found.series.key.target, ())
        (explained if any(shift.explains(change) for shift in here) else own).append(change)
    return explained, own
