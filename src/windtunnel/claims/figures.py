"""Computes the figures that accompany a claim: a ratio, a difference per count, or when a cost pays off.

Each interval has 95 % confidence by itself. Figures decide nothing.
"""

import math
from collections.abc import Sequence

import numpy as np

from windtunnel.claims.block_values import MIN_TIME_SPREAD, BlockValues, NoValues
from windtunnel.claims.claim import ClaimFigure, Statistic
from windtunnel.claims.claim_lookup import CaseEvidence
from windtunnel.claims.evidence import Estimator, NoEstimate, process_values
from windtunnel.claims.format import FigureResult, Setting
from windtunnel.claims.replay import limited_exp
from windtunnel.claims.samples_format import ClaimSeries
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


def figure_from_blocks(figure: ClaimFigure, values: BlockValues | NoValues, series: ClaimSeries) -> FigureResult:
    """Return the value of *figure* from the blocks that have all its cases; differences are those within a block."""
    if isinstance(values, NoValues):
        return _missing(figure.name, values.reason)
    if values.blocks < 2:
        return _missing(figure.name, "too few blocks; it needs two")
    with np.errstate(over="ignore", invalid="ignore"):  # numbers at the edge of what a float holds
        contender, baseline, *cost = np.exp(values.logs)
        unit = series.cases[values.cases[-1]].unit
        if figure.per is not None:
            spread = values.floor * float(contender.mean() + baseline.mean()) / 2
            return _per_count(figure, unit, [summarise(contender - baseline, spread)], series.given)
        logs = summarise(values.logs[0] - values.logs[1], values.floor)
        half = half_width([logs], MISS / 2 if cost else MISS)
        ratio, low, high = (limited_exp(logs.mean + sign * half) for sign in (0, -1, 1))
        if cost:
            return _pays_off(figure.name, unit, (ratio, low, high), [_summary(cost[0])])
    return _result(figure.name, None, ratio, low, high)


def _per_count(
    figure: ClaimFigure, unit: str | None, sides: Sequence[SampleSummary], given: Sequence[Setting]
) -> FigureResult:
    """Return the mean of one of *sides*, or the first minus the second, for each of the count of *figure*."""
    count = figure.count(given)
    if count is None:
        return _missing(figure.name, _no_count(given))
    middle = sides[0].mean - sum(side.mean for side in sides[1:])
    half = half_width(sides, MISS)
    return _result(figure.name, unit, middle / count, (middle - half) / count, (middle + half) / count)


def _difference(
    figure: ClaimFigure, cases: Sequence[CaseEvidence], given: Sequence[Setting], statistic: Statistic
) -> FigureResult:
    """Return (contender - baseline) / count."""
    sides = _summaries(cases, statistic)
    if isinstance(sides, str):
        return _missing(figure.name, sides)
    return _per_count(figure, cases[0].unit, sides, given)


def _break_even(name: str, cases: Sequence[CaseEvidence], statistic: Statistic) -> FigureResult:
    """Return cost / (1 - ratio); its interval combines two that each miss half as often (Boole's inequality)."""
    miss = MISS / 2
    ratio, sides = Estimator(statistic=statistic, miss=miss).ratio(cases[:2]), _summaries(cases[2:], statistic)
    if isinstance(ratio, NoEstimate):
        return _missing(name, ratio.reason)
    if isinstance(sides, str):
        return _missing(name, sides)
    return _pays_off(name, cases[2].unit, (ratio.ratio, ratio.interval.low, ratio.interval.high), sides)


def _pays_off(
    name: str, unit: str | None, ratio: tuple[float, float, float], cost: Sequence[SampleSummary]
) -> FigureResult:
    """Return cost / (1 - ratio); *ratio* is the ratio with the ends of its interval."""
    middle, low, high = ratio
    if middle >= 1:
        return _missing(name, "never, as measured: the contender saves nothing")
    mean, half = cost[0].mean, half_width(cost, MISS / 2)
    least = max(mean - half, 0.0) / (1 - low)
    most = (mean + half) / (1 - high) if high < 1 else None
    return _result(name, unit, mean / (1 - middle), least, most)


def _summaries(cases: Sequence[CaseEvidence], statistic: Statistic) -> list[SampleSummary] | str:
    """Return a summary of the processes of each case, or why there is none."""
    found = []
    for case in cases:
        if case.result is None:
            return case.absence
        values = process_values(case.result, statistic) if case.result.process_sizes else ()
        if len(values) < 2:
            return "too few processes; each case needs two"
        found.append(_summary(values))
    return found


def _summary(values: Sequence[float]) -> SampleSummary:
    with np.errstate(over="ignore", invalid="ignore"):
        return summarise(values, MIN_TIME_SPREAD * abs(float(np.mean(values))))


def _no_count(given: Sequence[Setting]) -> str:
    values = ", ".join(setting.value for setting in given)
    return f"the claims file has no count for {values}; add it to 'per'"


def _result(name: str, unit: str | None, value: float, low: float, high: float | None) -> FigureResult:
    if not all(map(math.isfinite, (value, low, high or 0.0))):
        return _missing(name, "a value is too large for an interval")
    return FigureResult(name=name, value=value, unit=unit, low=low, high=high, reason="")


def _missing(name: str, reason: str) -> FigureResult:
    return FigureResult(name=name, value=None, unit=None, low=None, high=None, reason=reason)
