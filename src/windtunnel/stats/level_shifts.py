"""Find the changes of level in series of values, and keep those with enough evidence.

`windtunnel.stats.change_points` finds them, and `windtunnel.stats.change_evidence` weighs each. Each change moves to
the position that fits best between its neighbours. The weakest change without enough evidence is removed, and its
neighbours are weighed again: backward elimination, as in Fryzlewicz, P. (2014), Wild binary segmentation for multiple
change-point detection, doi:10.1214/14-AOS1245. A change that had too little evidence only beside a neighbour that was
removed later is added again. `windtunnel.stats.level_flips` decides about series that flip between two levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from windtunnel.stats.change_evidence import MAX_NEIGHBOURS, Shift, Split, fit_split, weigh_evidence
from windtunnel.stats.change_points import OUTLIER_BOUND, find_change_points, max_costs
from windtunnel.stats.level_flips import FlippingStretch, find_flips
from windtunnel.stats.special import Vector, median, noise_scale, persistence

SEARCH_ROUNDS = 2
"""How often the penalty is adapted to persistent noise; the estimate hardly changes after the second time."""
MIN_PERSISTENCE = 1.1
"""Persistence below which no other search is made."""
MAX_MOVES = 5
"""How often all changes of a series may move; two or three times are usual."""
MAX_RETURNS = 20
"""Removed changes that are weighed again, the largest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesObservations:
    """One series."""

    values: Vector
    """Finite values in the order of the commits."""
    weights: Vector
    """1 for a full point, less for a noisier one."""
    least_noise: float
    """The smallest standard deviation to assume, in the unit of the values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The changes of level of one series."""

    shifts: tuple[Shift, ...]
    noise: float
    """The standard deviation of a point, in the unit of the values."""
    inflation: float
    """The factor by which persistent noise increases the variance of a mean."""
    flipping: tuple[FlippingStretch, ...] = ()
    """The parts in which the series flips between two levels, whose flips are not among *shifts*."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standardised:
    values: Vector
    weights: Vector
    centre: float
    noise: float
    least_noise: float
    """In units of *noise*."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLevels:
    """Levels by a digest of the observations in which they were found: equal observations have equal levels."""

    known: dict[bytes, Levels] = field(default_factory=dict)
    used: dict[bytes, Levels] = field(default_factory=dict)
    """Those that were asked for, found now or before."""

    def find_shifts(self, batch: Sequence[SeriesObservations]) -> tuple[Levels, ...]:
        """Return the changes of level of each series; only those that are not known are searched."""
        digests = [_digest(observations) for observations in batch]
        new = {digest: one for digest, one in zip(digests, batch, strict=True) if digest not in self.known}
        found = dict(zip(new, find_shifts(list(new.values())), strict=True))
        levels = tuple(found.get(digest) or self.known[digest] for digest in digests)
        self.used.update(zip(digests, levels, strict=True))
        return levels


def _digest(observations: SeriesObservations) -> bytes:
    """Return a digest of everything that the search of one series depends on."""
    digest = blake2b(np.array([len(observations.values), observations.least_noise]).tobytes(), digest_size=16)
    digest.update(np.ascontiguousarray(observations.values).tobytes())
    digest.update(np.ascontiguousarray(observations.weights).tobytes())
    return digest.digest()


def find_shifts(batch: Sequence[SeriesObservations]) -> tuple[Levels, ...]:
    """Return the changes of level of each series; one call for many series costs less than many calls."""
    series = [_standardised(observations) for observations in batch]
    starts, inflation = _search(series)
    return tuple(
        _levels(one, found, factor) if found else Levels(shifts=(), noise=one.noise, inflation=factor)
        for one, found, factor in zip(series, starts, inflation, strict=True)
    )


def piecewise_medians(values: Vector, starts: Sequence[int]) -> Vector:
    """Return the median of the segment of each point; segments begin at 0 and at *starts*."""
    levels = np.empty_like(values)
    for start, end in pairwise((0, *starts, len(values))):
        levels[start:end] = median(values[start:end]) if end > start else 0.0
    return levels


def _standardised(observations: SeriesObservations) -> _Standardised:
    values = observations.values
    noise = noise_scale(values, observations.least_noise)
    centre = median(values) if len(values) else 0.0
    return _Standardised(
        values=(values - centre) / noise,
        weights=observations.weights,
        centre=centre,
        noise=noise,
        least_noise=observations.least_noise / noise,
    )


def _search(series: Sequence[_Standardised]) -> tuple[list[tuple[int, ...]], list[float]]:
    """Return the starts of the levels and the persistence of each series; each is estimated with the other."""
    inflation = [1.0] * len(series)
    starts = list(find_change_points([one.values for one in series], [one.weights for one in series], inflation))
    again = list(range(len(series)))
    for _ in range(SEARCH_ROUNDS):
        seen = {
            i: persistence(series[i].values - piecewise_medians(series[i].values, starts[i]), OUTLIER_BOUND)
            for i in again
        }
        again = [i for i, factor in seen.items() if factor > MIN_PERSISTENCE * inflation[i]]
        for i in again:
            inflation[i] = seen[i]
        fresh = find_change_points(
            [series[i].values for i in again], [series[i].weights for i in again], [inflation[i] for i in again]
        )
        for i, found in zip(again, fresh, strict=True):
            starts[i] = found
    return starts, inflation


@dataclass(slots=True, kw_only=True)
class _Elimination:
    """The evidence for the changes of one series, each weighed once between the same neighbours."""

    one: _Standardised
    inflation: float
    bounds: Vector
    """The largest cost of each point."""
    deviations: Vector = field(init=False)
    """The distance of each point from its level, by all changes that were found and have settled."""
    _splits: dict[tuple[int, int, int], Split] = field(default_factory=dict)
    _weighed: dict[tuple[int, int, int], Shift] = field(default_factory=dict)

    def supported(self, starts: Sequence[int]) -> list[int]:
        """Return the positions of the changes that have enough evidence."""
        kept, removed = self._settled(starts), list[Shift]()
        self.deviations = self.one.values - piecewise_medians(self.one.values, kept)
        while kept:
            shifts = self.shifts(kept)
            weakest = int(np.argmin([shift.margin for shift in shifts]))
            if shifts[weakest].margin >= 0:
                break
            removed.append(shifts[weakest])
            kept = self._settled([position for position in kept if position != kept[weakest]])
        removed.sort(key=lambda shift: -abs(shift.after - shift.before) / shift.error)
        for shift in removed[:MAX_RETURNS]:
            if shift.position not in kept:
                more = self._settled(sorted([*kept, shift.position]))
                if len({*more}) > len(kept) and all(each.margin >= 0 for each in self.shifts(more)):
                    kept = more
        return kept

    def shifts(self, starts: Sequence[int]) -> list[Shift]:
        """Return the evidence for changes at *starts*."""
        edges = [0, *starts, len(self.one.values)]
        return [self._weigh(triple) for triple in zip(edges, starts, edges[2:], strict=False)]

    def _settled(self, starts: Sequence[int]) -> list[int]:
        """Return *starts* after each has moved to its best position between its neighbours."""
        edges = [0, *starts, len(self.one.values)]
        for _ in range(MAX_MOVES):
            before = list(edges)
            for index in range(1, len(edges) - 1):
                edges[index] = self._split((edges[index - 1], edges[index], edges[index + 1])).best
            if edges == before:
                break
        return edges[1:-1]

    def _weigh(self, triple: tuple[int, int, int]) -> Shift:
        if triple not in self._weighed:
            self._weighed[triple] = weigh_evidence(self._split(triple), self.deviations, self.inflation)
        return self._weighed[triple]

    def _split(self, triple: tuple[int, int, int]) -> Split:
        if triple not in self._splits:
            left, position, right = triple
            left, right = max(left, position - MAX_NEIGHBOURS), min(right, position + MAX_NEIGHBOURS)
            near = slice(left, right)
            self._splits[triple] = fit_split(
                self.one.values[near], self.one.weights[near], self.bounds[near], position - left, left
            )
        return self._splits[triple]


def _levels(one: _Standardised, starts: Sequence[int], inflation: float) -> Levels:
    elimination = _Elimination(one=one, inflation=inflation, bounds=max_costs(one.weights))
    kept = elimination.supported(starts)
    flips = find_flips(one.values, kept, one.least_noise)
    shares = {change.position: change for change in flips.changes}
    shifts = elimination.shifts(sorted({*flips.kept, *shares}))
    return Levels(
        shifts=tuple(_in_units(one, shares.get(shift.position, shift)) for shift in shifts),
        noise=one.noise,
        inflation=inflation,
        flipping=tuple(
            replace(stretch, low=_in_unit(one, stretch.low), high=_in_unit(one, stretch.high))
            for stretch in flips.stretches
        ),
    )


def _in_units(one: _Standardised, shift: Shift) -> Shift:
    shares = shift.shares
    return replace(
        shift,
        before=_in_unit(one, shift.before),
        after=_in_unit(one, shift.after),
        error=one.noise * shift.error,
        shares=shares and replace(shares, low=_in_unit(one, shares.low), high=_in_unit(one, shares.high)),
    )


def _in_unit(one: _Standardised, level: float) -> float:
    return one.centre + one.noise * level
