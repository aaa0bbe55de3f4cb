"""Decides a test by replaying its blocks: each analysis compares the interval of the blocks until then with the band.

The analyses and their error are fixed beforehand, so measuring may stop as soon as an analysis decides: the error of
each analysis is a share of the whole (Bonferroni), and the intervals of all analyses hold together (repeated confidence
intervals: Jennison, C. and Turnbull, B. W. (1989), doi:10.1111/j.2517-6161.1989.tb01433.x).

At an analysis, a test

- holds if its interval, at the error of an analysis, lies within the band (two one-sided tests, Schuirmann 1987);
- fails if its interval, at that error divided by the number of the claim's tests, lies outside the band without its
  zones of indifference.

A claim holds only if all its tests hold, so none of them needs a correction (intersection-union test: Berger, R. L.
(1982), doi:10.1080/00401706.1982.10487790). It fails if any test fails, so these share the error (Bonferroni).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from windtunnel.claims.band import Band
from windtunnel.claims.format import Decision
from windtunnel.model.result import Interval
from windtunnel.stats.multiple_testing import next_analysis
from windtunnel.stats.paired_differences import (
    Estimates,
    estimate,
    interval,
    one_sided_p,
    robust,
    rounds_to_decide,
)
from windtunnel.stats.student import Floats

MIN_ANALYSES = 3
"""Analyses before a test can be given up, as in ``compare``."""

LIMIT_FACTOR = 1.5
"""A test is given up if a decision would need more than this many times the last analysis, as in ``compare``."""

MAX_LOG = 700.0
"""The logarithm of the largest ratio that an interval states: e to this power is near the range of a float."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRule:
    """How a test is decided."""

    analyses: tuple[int, ...]
    """The numbers of blocks after which it may be decided, ascending."""
    error: float
    """The two-sided error of an analysis."""
    band: Band
    """The claimed band."""
    indifference: float = 0.0
    """The share next to each end of the band where both decisions are right."""
    tests: int = 1
    """How many tests the claim has."""
    floor: float = 0.0
    """The smallest standard deviation of a difference that is assumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What the blocks of a test show."""

    is_final: bool
    """Whether more blocks change nothing: the test is decided, given up, or at its last analysis."""
    next_analysis: int | None
    """The number of blocks of the next analysis; None if final."""
    decision: Decision = Decision.UNDECIDED
    """Whether the test holds or fails."""
    blocks: int = 0
    """How many blocks the interval is computed from; 0 before the first analysis."""
    ratio: float | None = None
    """The ratio; None before the first analysis."""
    interval: Interval | None = None
    """The interval of the ratio; None before the first analysis."""
    confidence: float | None = None
    """The confidence that the intervals of all analyses hold; None before the first analysis."""
    p_value: float | None = None
    """The probability of evidence this strong if the decision is wrong, over all analyses; None if undecided."""
    blocks_needed: float = math.nan
    """The blocks after which a test that is given up would be decided, if nothing changes; NaN if unknown or many."""


def replay(differences: Sequence[float], rule: ReplayRule) -> Replay:
    """Return what *differences* decide: the logarithm of the ratio in each block, oldest first."""
    found = Replay(is_final=False, next_analysis=rule.analyses[0])
    for number, blocks in enumerate(rule.analyses):
        if found.is_final or blocks > len(differences):
            break
        found = _analyse(np.array([differences[:blocks]], dtype=float), rule, number)
    return found


def analyse_all(differences: Sequence[float], rule: ReplayRule) -> Replay:
    """Return what all *differences* decide in a single analysis at the error of *rule*."""
    return replay(differences, replace(rule, analyses=(max(len(differences), 1),)))


def _analyse(rows: Floats, rule: ReplayRule, number: int) -> Replay:
    """Return the state after analysis *number*; *rows* has shape (1, blocks)."""
    estimates, blocks = estimate(rows, rule.floor), rows.shape[1]
    holding, failing = _interval(estimates, rule.error), _interval(estimates, rule.error / rule.tests)
    rejected = rule.band.without(rule.indifference)
    decision, shown, level = Decision.UNDECIDED, holding, rule.error
    if rule.band.decide(holding) is Decision.HOLDS:
        decision = Decision.HOLDS
    elif rejected.decide(failing) is Decision.FAILS:
        decision, shown, level = Decision.FAILS, failing, rule.error / rule.tests
    needed, is_final = math.nan, decision is not Decision.UNDECIDED or blocks == rule.analyses[-1]
    if not is_final and number + 1 >= MIN_ANALYSES:
        needed = _blocks_needed(estimates, rule, rejected)
        is_final = not needed <= LIMIT_FACTOR * rule.analyses[-1]
    return Replay(
        decision=decision,
        is_final=is_final,
        next_analysis=None if is_final else next_analysis(rule.analyses, blocks),
        blocks=blocks,
        ratio=_exp(float(estimates.mean[0])),
        interval=shown,
        confidence=1 - level * len(rule.analyses),
        p_value=_p_value(rows, rule, rejected, decision),
        blocks_needed=needed,
    )


def _interval(estimates: Estimates, error: float) -> Interval:
    low, high = interval(estimates, np.array([error]))
    return Interval(low=_exp(float(low[0])), high=_exp(float(high[0])))


def _blocks_needed(estimates: Estimates, rule: ReplayRule, rejected: Band) -> float:
    """Return the blocks after which the test would hold or fail with centre and spread of most blocks; NaN if many.

    Stochastic curtailment, as in ``compare``: outliers must not end a test (Lan, Simon and Halperin 1982,
    doi:10.1080/07474948208836014). Giving up costs no error, because nothing is claimed of such a test.
    """
    typical = robust(estimates)
    centre = float(typical.mean[0])
    low, high = rule.band.log_ends
    low_rejected, high_rejected = rejected.log_ends
    distances = min(centre - low, high - centre), max(low_rejected - centre, centre - high_rejected)
    both = np.array([0, 0])
    needed = rounds_to_decide(
        replace(typical.of(both), mean=np.clip(distances, 0, MAX_LOG)),
        np.array([rule.error, rule.error / rule.tests]),
        np.zeros(2),
    )
    return float(np.fmin(needed[0], needed[1]))


def _p_value(rows: Floats, rule: ReplayRule, rejected: Band, decision: Decision) -> float | None:
    """Return the p-value of *decision*, times the analyses, and times the tests if it fails (Bonferroni)."""
    if decision is Decision.UNDECIDED:
        return None
    band = rule.band if decision is Decision.HOLDS else rejected
    inward = 1.0 if decision is Decision.HOLDS else -1.0
    p = [
        float(one_sided_p(estimate(rows - end, rule.floor), np.array([direction * inward]))[0])
        for end, direction in zip(band.log_ends, (1.0, -1.0), strict=True)
        if math.isfinite(end)
    ]
    worst = max(p) if decision is Decision.HOLDS else min(p) * rule.tests
    return min(1.0, worst * len(rule.analyses))


def _exp(exponent: float) -> float:
    """Return e to the *exponent*, kept within the range of a float."""
    return math.exp(max(-MAX_LOG, min(exponent, MAX_LOG)))
