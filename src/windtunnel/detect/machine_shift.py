"""Events in which nearly everything on a machine moves alike: told once, not once for each case."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from windtunnel.detect.candidate_change import CandidateChange
from windtunnel.detect.causes import Cause
from windtunnel.detect.format import ChangeKind, PlotWindow
from windtunnel.detect.levels import SeriesLevels
from windtunnel.detect.plot_window import MOST, rounded
from windtunnel.detect.series import SeriesTarget
from windtunnel.stats.change_points import Matrix
from windtunnel.stats.noise_scale import MEDIAN_OF_NORMAL, Vector

FEWEST = 10
"""Cases below which "nearly everything" says nothing."""
SAME_WAY = 0.8
"""Share of the cases that must move in the same direction."""
ALIKE = 0.6
"""Share that must lie near the middle one: a machine moves all alike, a change of code some more than others."""
NEAR = 0.5
FARTHEST = 0.2
"""What is near, as a share of the middle change and at most as a logarithm: cases feel a machine differently."""
SMALLEST = 0.03
"""Change of the middle case, as a logarithm, below which nothing is said."""
WINDOW = 5
LEAST_RUNS = 2
"""Runs on either side that tell a case's movement, and how many of them a case must have been measured in."""
BLUR = 2
"""Runs by which a case may place the movement wrongly."""
CLEARLY = 2.0
"""Standard errors by which a case may miss the middle by noise alone."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Movement:
    """A common movement at *place* with the run at *position*: the middle change and its error, as logarithms.

    *before* is the position of the run before, all positions are the history's; *course* is that of the middle case.
    *first* and *last* are what drafts of the same movement may have been placed at.
    """

    place: SeriesTarget
    before: int
    position: int
    first: int
    last: int
    middle: float
    error: float
    alike: int
    total: int
    course: PlotWindow

    def explains(self, draft: CandidateChange) -> bool:
        """Tell whether *draft* is nothing but this movement."""
        series = draft.found.series
        if series.key.target != self.place or not (series.is_time and draft.found.scale.logarithmic):
            return False
        if draft.kind is not ChangeKind.STEP or not self.first <= draft.position <= self.last:
            return False
        beyond = abs(draft.difference) - abs(self.middle)
        return beyond <= min(abs(self.middle), FARTHEST) + CLEARLY * draft.error and self._same_way(draft)

    def _same_way(self, draft: CandidateChange) -> bool:
        return (draft.difference > 0) == (self.middle > 0)

    def repeats(self, other: "Movement") -> bool:
        """Tell whether this is *other*, placed a run or two beside it."""
        same_way = (self.middle > 0) == (other.middle > 0)
        return self.place == other.place and same_way and other.first <= self.position <= other.last


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moves:
    """The times measured at *place*: series x runs, NaN where not measured, with each series' noise."""

    place: SeriesTarget
    positions: NDArray[np.int64]
    table: Matrix
    noise: Vector

    @classmethod
    def at(cls, place: SeriesTarget, found: Iterable[SeriesLevels]) -> Self:
        """Gather the series of *found* that a slow machine at *place* would slow."""
        here = [one for one in found if one.series.key.target == place and one.series.is_time and one.scale.logarithmic]
        positions = np.unique(np.concatenate([one.series.positions for one in here] or [np.empty(0, np.int64)]))
        table = np.full((len(here), len(positions)), np.nan)
        for row, one in zip(table, here, strict=True):
            row[np.searchsorted(positions, one.series.positions)] = one.values
        noise = np.array([one.levels.noise * one.levels.inflation**0.5 for one in here])
        return cls(place=place, positions=positions, table=table, noise=noise)

    def common(self, position: int) -> Movement | None:
        """Return the common movement with the run at *position*, if there is one."""
        at = int(np.searchsorted(self.positions, position))
        old, new = self.table[:, max(0, at - WINDOW) : at], self.table[:, at : at + WINDOW]
        n_old, n_new = np.isfinite(old).sum(axis=1), np.isfinite(new).sum(axis=1)
        there = (n_old >= LEAST_RUNS) & (n_new >= LEAST_RUNS)
        if np.count_nonzero(there) < FEWEST:
            return None
        moves = np.nanmedian(new[there], axis=1) - np.nanmedian(old[there], axis=1)
        errors = self.noise[there] * (np.pi / 2 * (1 / n_old[there] + 1 / n_new[there])) ** 0.5
        middle = float(np.median(moves))
        near = np.abs(moves - middle) <= _near(middle) + CLEARLY * errors
        same_way = float(np.mean(np.sign(moves) == np.sign(middle)))
        if abs(middle) < SMALLEST or same_way < SAME_WAY or float(near.mean()) < ALIKE:
            return None
        spread = float(np.median(np.abs(moves - middle))) / MEDIAN_OF_NORMAL
        return Movement(
            place=self.place,
            before=int(self.positions[at - 1]),
            position=int(self.positions[at]),
            first=int(self.positions[max(0, at - BLUR)]),
            last=int(self.positions[min(len(self.positions) - 1, at + BLUR)]),
            middle=middle,
            error=spread * (np.pi / 2 / len(moves)) ** 0.5,
            alike=int(near.sum()),
            total=len(moves),
            course=self._course(at, there, middle),
        )

    def _course(self, at: int, there: NDArray[np.bool_], middle: float) -> PlotWindow:
        """Return how the middle of the cases *there* went around the run *at*, relative to their levels before."""
        level = np.nanmedian(self.table[there, max(0, at - WINDOW) : at], axis=1)
        first = max(0, at - MOST)
        around = self.table[there, first : at + MOST] - level[:, None]
        measured: NDArray[np.bool_] = np.isfinite(around).sum(axis=0) > 0
        return PlotWindow(
            case=None,
            kind=ChangeKind.STEP,
            unit=None,
            values=rounded(np.exp(np.nanmedian(around[:, measured], axis=0))),
            split=int(np.count_nonzero(measured[: at - first])),
            before=1.0,
            after=float(np.exp(middle)),
        )


def movements(found: Sequence[SeriesLevels], suspected: Sequence[Cause]) -> tuple[Movement, ...]:
    """Return the common movements among the causes that are *suspected*, each once, oldest first."""
    moves: dict[SeriesTarget, Moves] = {}
    kept: list[Movement] = []
    for cause in sorted(suspected, key=lambda cause: -len(cause.drafts)):
        for place in sorted({draft.found.series.key.target for draft in cause.drafts if draft.kind is ChangeKind.STEP}):
            if place not in moves:
                moves[place] = Moves.at(place, found)
            movement = moves[place].common(cause.position)
            if movement and not any(movement.repeats(other) for other in kept):
                kept.append(movement)
    return tuple(sorted(kept, key=lambda movement: (movement.position, movement.place)))


def split_off(
    drafts: Sequence[CandidateChange], moves: Sequence[Movement]
) -> tuple[list[CandidateChange], list[CandidateChange]]:
    """Return the drafts that no movement explains, and those that one does."""
    own: list[CandidateChange] = []
    absorbed: list[CandidateChange] = []
    for draft in drafts:
        (absorbed if any(move.explains(draft) for move in moves) else own).append(draft)
    return own, absorbed


def _near(middle: float) -> float:
    return min(NEAR * abs(middle), FARTHEST)
