"""Figures that stand beside a claim: a ratio without a band, what one of many costs, from when on a cost pays.

Each interval holds with 95 % by itself: figures inform, and decide nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from windtunnel.claims.claim import ClaimFigure
from windtunnel.claims.claim_lookup import Side
from windtunnel.claims.decide import Terms, found_of
from windtunnel.claims.evidence import TICK, Unknown, of_processes
from windtunnel.claims.format import Setting, StatedFigure
from windtunnel.stats.student import SampleSummary, half_width, observations

MISS = 0.05
"""Of a figure's interval, as everywhere."""

TOO_FEW = "too few processes, two a side are needed"


def stated(figure: ClaimFigure, sides: Sequence[Side], given: Sequence[Setting], terms: Terms) -> StatedFigure:
    """Return *figure* from its cases' *sides*, *given* what they share."""
    alone = replace(terms, miss=MISS)
    if figure.cost:
        return _break_even(figure.name, sides, alone)
    if figure.per:
        return _each(figure, sides, given, alone)
    found = found_of(sides, alone)
    if isinstance(found, Unknown):
        return _unstated(figure.name, found.reason)
    return _stated(figure.name, None, found.ratio, found.interval.low, found.interval.high)


def _each(figure: ClaimFigure, sides: Sequence[Side], given: Sequence[Setting], terms: Terms) -> StatedFigure:
    """Return (contender - baseline) / count."""
    seen = _observed(sides, terms)
    if isinstance(seen, str):
        return _unstated(figure.name, seen)
    counts = dict(figure.per)
    count = next((counts[one.value] for one in given if one.value in counts), counts.get(""))
    if count is None:
        shared = ", ".join(one.value for one in given)
        return _unstated(figure.name, f"the claims file does not say per how many, given {shared}")
    middle, half = seen[0].mean - seen[1].mean, half_width(seen, terms.miss)
    return _stated(figure.name, sides[0].unit, middle / count, (middle - half) / count, (middle + half) / count)


def _break_even(name: str, sides: Sequence[Side], terms: Terms) -> StatedFigure:
    """Return cost / (1 - ratio); its ends take an end of both, each of which misses half as often (Boole)."""
    each = replace(terms, miss=terms.miss / 2)
    found, seen = found_of(sides[:2], each), _observed(sides[2:], each)
    if isinstance(found, Unknown):
        return _unstated(name, found.reason)
    if isinstance(seen, str):
        return _unstated(name, seen)
    if found.ratio >= 1:
        return _unstated(name, "never, as far as was measured: nothing is gained that could pay")
    cost, half = seen[0].mean, half_width(seen, each.miss)
    low = max(cost - half, 0.0) / (1 - found.interval.low)
    high = (cost + half) / (1 - found.interval.high) if found.interval.high < 1 else None
    return _stated(name, sides[2].unit, cost / (1 - found.ratio), low, high)


def _observed(sides: Sequence[Side], terms: Terms) -> list[SampleSummary] | str:
    """Return what the processes of each side show, or why nothing."""
    seen = []
    for side in sides:
        if side.result is None:
            return side.absence
        values = of_processes(side.result, terms.statistic) if side.result.process_sizes else ()
        if len(values) < 2:
            return TOO_FEW
        seen.append(observations(values, TICK * abs(math.fsum(values)) / len(values)))
    return seen


def _stated(name: str, unit: str | None, value: float, low: float, high: float | None) -> StatedFigure:
    return StatedFigure(name=name, value=value, unit=unit, low=low, high=high, reason="")


def _unstated(name: str, reason: str) -> StatedFigure:
    return StatedFigure(name=name, value=None, unit=None, low=None, high=None, reason=reason)
