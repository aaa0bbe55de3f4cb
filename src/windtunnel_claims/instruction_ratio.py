"""Decides by instructions whether the computing of a test costs what is claimed.

Counts are paired by hash seed, and the spread over the seeds is their noise: usually below 0.1 %, where times vary by
some per cent. So counts decide almost exactly, but only what they see: the instructions of the case's own thread.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from windtunnel_claims.block_values import SIGNS, median
from windtunnel_claims.format import Decision, InstructionRatio
from windtunnel_claims.replay import ReplayRule, analyse_all
from windtunnel_claims.samples_format import CaseOfSeries

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
        return _undecided(sides, reason)
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


def _undecided(sides: Sequence[float | None], reason: str) -> InstructionRatio:
    return InstructionRatio(
        contender=sides[0],
        baseline=sides[1],
        ratio=None,
        interval=None,
        confidence=None,
        decision=Decision.UNDECIDED,
        seeds=0,
        reason=reason,
    )
