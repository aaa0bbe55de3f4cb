"""Computes the figures that accompany a claim: a ratio, a difference per count, or when a cost pays off.

Each interval has 95 % confidence by itself. Figures decide nothing.
"""

import math
from collections.abc import Sequence

from windtunnel.claims.claim import ClaimFigure, Statistic
from windtunnel.claims.claim_lookup import CaseEvidence
from windtunnel.claims.evidence import MIN_TIME_SPREAD, Estimator, NoEstimate, process_values
from windtunnel.claims.format import FigureResult, Setting
from windtunnel.stats.student import SampleSummary, half_width, summarise

MISS = 0.05
"""The probability that the interval of a figure misses the true value."""


def compute_figure(
    figure: ClaimFigure, cases: Sequence[CaseEvidence], given: Sequence[Setting], statistic: Statistic
) -> FigureResult:
    """Return the value of *figure*; *cases* are its cases, *given* the parameters that they share."""
    if figure.cost is not None:
        return _break_even(figure.name, cases, statistic)
    if figure.per is not None:
        return _difference(figure, cases, given, statistic)
    ratio = Estimator(statistic=statistic, miss=MISS).ratio(cases)
    if isinstance(ratio, NoEstimate):
        return _missing(figure.name, ratio.reason)
    return _result(figure.name, None, ratio.ratio, ratio.interval.low, ratio.interval.high)


def _difference(
    figure: ClaimFigure, cases: Sequence[CaseEvidence], given: Sequence[Setting], statistic: Statistic
) -> FigureResult:
    """Return (contender - baseline) / count."""
    sides = _summaries(cases, statistic)
    if isinstance(sides, str):
        return _missing(figure.name, sides)
    count = figure.count(given)
    if count is None:
        values = ", ".join(setting.value for setting in given)
        return _missing(figure.name, f"the claims file has no count for {values}; add it to 'per'")
    middle, half = sides[0].mean - sides[1].mean, half_width(sides, MISS)
    return _result(figure.name, cases[0].unit, middle / count, (middle - half) / count, (middle + half) / count)


def _break_even(name: str, cases: Sequence[CaseEvidence], statistic: Statistic) -> FigureResult:
    """Return cost / (1 - ratio); its interval combines two that each miss half as often (Boole's inequality)."""
    miss = MISS / 2
    ratio, sides = Estimator(statistic=statistic, miss=miss).ratio(cases[:2]), _summaries(cases[2:], statistic)
    if isinstance(ratio, NoEstimate):
        return _missing(name, ratio.reason)
    if isinstance(sides, str):
        return _missing(name, sides)
    if ratio.ratio >= 1:
        return _missing(name, "never, as measured: the contender saves nothing")
    cost, half = sides[0].mean, half_width(sides, miss)
    low = max(cost - half, 0.0) / (1 - ratio.interval.low)
    high = (cost + half) / (1 - ratio.interval.high) if ratio.interval.high < 1 else None
    return _result(name, cases[2].unit, cost / (1 - ratio.ratio), low, high)


def _summaries(cases: Sequence[CaseEvidence], statistic: Statistic) -> list[SampleSummary] | str:
    """Return a summary of the processes of each case, or why there is none."""
    found = []
    for case in cases:
        if case.result is None:
            return case.absence
        values = process_values(case.result, statistic) if case.result.process_sizes else ()
        if len(values) < 2:
            return "too few processes; each case needs two"
        found.append(summarise(values, MIN_TIME_SPREAD * abs(math.fsum(values)) / len(values)))
    return found


def _result(name: str, unit: str | None, value: float, low: float, high: float | None) -> FigureResult:
    return FigureResult(name=name, value=value, unit=unit, low=low, high=high, reason="")


def _missing(name: str, reason: str) -> FigureResult:
    return FigureResult(name=name, value=None, unit=None, low=None, high=None, reason=reason)
