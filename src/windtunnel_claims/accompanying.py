"""Figures that accompany a claim and do not decide it: a ratio, a difference per count, or when a cost pays off.

Intervals are Student's (1908, doi:10.1093/biomet/6.1.1) and have 95 % confidence by themselves.
"""

import math

import numpy as np

from windtunnel.stats.special import Floats, upper_quantile
from windtunnel_claims.block_values import MIN_TIME_SPREAD, BlockValues, NoValues
from windtunnel_claims.claim import ClaimFigure
from windtunnel_claims.format import FigureResult
from windtunnel_claims.replay import limited_exp
from windtunnel_claims.samples_format import ClaimSeries

MISS = 0.05
"""The probability that the interval of a figure misses the true value."""


def compute_figure(figure: ClaimFigure, values: BlockValues | NoValues, series: ClaimSeries) -> FigureResult:
    """Return the value of *figure* from the blocks that have all its cases; differences are those within a block."""
    if isinstance(values, NoValues):
        return FigureResult(name=figure.name, reason=values.reason)
    if values.blocks < 2:
        return FigureResult(name=figure.name, reason="too few blocks; it needs two")
    with np.errstate(over="ignore", invalid="ignore"):  # numbers at the edge of what a float holds
        contender, baseline, *cost = np.exp(values.logs)
        unit = series.cases[values.cases[-1]].unit
        if figure.per is not None:
            floor = values.floor * float(contender.mean() + baseline.mean()) / 2
            middle, half = _mean(contender - baseline, floor, MISS)
            ends = ((middle + sign * half) / figure.per for sign in (0, -1, 1))
            return _result(figure.name, unit, *ends)
        middle, half = _mean(values.logs[0] - values.logs[1], values.floor, MISS / 2 if cost else MISS)
        ratio, low, high = (limited_exp(middle + sign * half) for sign in (0, -1, 1))
        if cost:
            return _pays_off(figure.name, unit, (ratio, low, high), cost[0])
    return _result(figure.name, None, ratio, low, high)


def _mean(values: Floats, floor: float, miss: float) -> tuple[float, float]:
    """Return the mean of *values* and half the width of its interval; the spread is assumed to be at least *floor*."""
    spread = max(float(np.std(values, ddof=1)), floor)
    return float(np.mean(values)), float(upper_quantile(miss / 2, values.size - 1)) * spread / math.sqrt(values.size)


def _pays_off(name: str, unit: str | None, ratio: tuple[float, float, float], cost: Floats) -> FigureResult:
    """Return cost / (1 - ratio), for a *ratio* with the ends of its interval.

    Its interval combines two that each miss half as often (Boole's inequality).
    """
    middle, low, high = ratio
    if middle >= 1:
        return FigureResult(name=name, reason="never, as measured: the contender saves nothing")
    mean, half = _mean(cost, MIN_TIME_SPREAD * float(np.mean(cost)), MISS / 2)
    least = max(mean - half, 0.0) / (1 - low)
    most = (mean + half) / (1 - high) if high < 1 else None
    return _result(name, unit, mean / (1 - middle), least, most)


def _result(name: str, unit: str | None, value: float, low: float, high: float | None) -> FigureResult:
    if not all(map(math.isfinite, (value, low, high or 0.0))):
        return FigureResult(name=name, reason="a value is too large for an interval")
    return FigureResult(name=name, value=value, unit=unit, low=low, high=high)
