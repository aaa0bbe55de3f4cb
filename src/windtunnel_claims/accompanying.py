"""Figures that accompany a claim and do not decide it: a ratio, or a difference per count.

Intervals are Student's (1908, doi:10.1093/biomet/6.1.1) and have 95 % confidence by themselves.
"""

import math

import numpy as np

from windtunnel.stats.special import Floats, upper_quantile
from windtunnel_claims.block_values import BlockValues, NoValues
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
    unit = None
    with np.errstate(over="ignore", invalid="ignore"):  # numbers at the edge of what a float holds
        middle, half = _mean(values.differences, values.floor)
        ends = [limited_exp(middle + sign * half) for sign in (0, -1, 1)]
        if figure.per is not None:
            contender, baseline = np.exp(values.logs)
            middle, half = _mean(contender - baseline, values.floor * float(contender.mean() + baseline.mean()) / 2)
            ends = [(middle + sign * half) / figure.per for sign in (0, -1, 1)]
            unit = series.cases[values.cases[-1]].unit
    if not all(map(math.isfinite, ends)):
        return FigureResult(name=figure.name, reason="a value is too large for an interval")
    value, low, high = ends
    return FigureResult(name=figure.name, value=value, unit=unit, low=low, high=high)


def _mean(values: Floats, floor: float) -> tuple[float, float]:
    """Return the mean of *values* and half the width of its interval; the spread is assumed to be at least *floor*."""
    spread = max(float(np.std(values, ddof=1)), floor)
    return float(np.mean(values)), float(upper_quantile(MISS / 2, values.size - 1)) * spread / math.sqrt(values.size)
