"""What accompanies a claim and does not decide it: figures, and the ratio of instructions.

A figure is a ratio, a difference per count, or when a cost pays off. Its interval is Student's (1908,
doi:10.1093/biomet/6.1.1) and has 95 % confidence by itself.

Counts of instructions are paired by hash seed, and the spread over the seeds is their noise: usually below 0.1 %, where
times vary by some per cent. So counts decide almost exactly, but only what they see: the instructions of the case's own
thread.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from windtunnel.stats.special import Floats, upper_quantile
from windtunnel_claims.block_values import MIN_TIME_SPREAD, SIGNS, BlockValues, NoValues, median
from windtunnel_claims.claim import ClaimFigure
from windtunnel_claims.format import Decision, FigureResult, InstructionRatio
from windtunnel_claims.replay import ReplayRule, analyse_all, limited_exp
from windtunnel_claims.samples_format import CaseOfSeries, ClaimSeries

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
            count = figure.count(series.given)
            if count is None:
                given = ", ".join(setting.value for setting in series.given)
                reason = f"the claims file has no count for {given}; add it to 'per'"
                return FigureResult(name=figure.name, reason=reason)
            floor = values.floor * float(contender.mean() + baseline.mean()) / 2
            middle, half = _mean(contender - baseline, floor, MISS)
            return _result(figure.name, unit, middle / count, (middle - half) / count, (middle + half) / count)
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


MIN_SPREAD = 1e-6
"""The smallest standard deviation of the logarithm of a ratio that is assumed: one instruction of a million."""

MIN_SEEDS = 2
"""The fewest hash seeds that show a spread."""

BLIND = "a side runs threads or processes, so not all its instructions are counted"


def instruction_ratio(cases: Sequence[CaseOfSeries], rule: ReplayRule) -> InstructionRatio | None:
    """Return what the instructions of *cases* decide: contender, baseline, and the two of a dividing ratio if any.

    Returns None if the instructions of a case are not counted yet.
    """
    counted = [case.instructions for case in cases]
    known = [counts for counts in counted if counts is not None]
    if len(known) < len(counted):
        return None
    rows = [counts.per_call for counts in known]
    if reason := _why_undecided(cases):
        sides = [median(row) if row else None for row in rows[:2]]
        return InstructionRatio(contender=sides[0], baseline=sides[1], reason=reason)
    logs = np.log(np.array(rows, dtype=float))
    differences = np.array(SIGNS[: len(rows)], dtype=float) @ logs
    found = analyse_all(differences.tolist(), replace(rule, floor=MIN_SPREAD))
    return InstructionRatio(
        contender=median(rows[0]),
        baseline=median(rows[1]),
        ratio=found.ratio,
        interval=found.interval,
        confidence=found.confidence,
        decision=found.decision,
        seeds=len(rows[0]),
        reason="" if found.decision is not Decision.UNDECIDED else "the ratio is at an end of the band",
    )


def _why_undecided(cases: Sequence[CaseOfSeries]) -> str:
    """Return why the counts of *cases*, which all have some, have no ratio; empty if they have one."""
    for case in cases:
        counts = case.instructions
        if counts is None or not counts.per_call:
            return f"{case.name}: {counts.reason if counts else 'not counted'}"
        if counts.other_threads:
            return BLIND
        if not all(0 < count < math.inf for count in counts.per_call):
            return f"{case.name}: a count of zero has no ratio"
        if len(counts.per_call) < MIN_SEEDS:
            return f"{case.name}: one hash seed shows no spread"
    seeds = {len(case.instructions.per_call) for case in cases if case.instructions}
    return "" if len(seeds) == 1 else "the cases are counted with different hash seeds"
