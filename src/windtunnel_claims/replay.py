"""Decides a test by replaying its blocks: each analysis compares the interval of the blocks until then with the band.

The analyses and their error are fixed beforehand, so measuring may stop as soon as an analysis decides: the error of
each analysis is a share of the whole (Bonferroni), and the intervals of all analyses hold together (repeated confidence
intervals: Jennison, C. and Turnbull, B. W. (1989), doi:10.1111/j.2517-6161.1989.tb01433.x).

At an analysis, a test

- holds if its interval, at the error of an analysis, lies within the band (two one-sided tests, Schuirmann 1987);
- fails if its interval, at that error divided by the number of the claim's tests, lies outside the band;
- is about at the limit if the ratio lies in the zone around an end, and its interval in the zone or on one side of the
  end; or, from the third analysis on, if the ratio is near an end and the interval does not say on which side. Nothing
  is claimed of such a test, so this costs no error.

A claim holds only if all its tests hold, so none of them needs a correction (intersection-union test: Berger, R. L.
(1982), doi:10.1080/00401706.1982.10487790). It fails if any test fails, so these share the error (Bonferroni).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from windtunnel.model.run import Interval
from windtunnel.stats import paired_differences as paired
from windtunnel.stats.special import Floats
from windtunnel_claims.claim import Band
from windtunnel_claims.format import Decision

MIN_ANALYSES = 3
"""Analyses after which a test with a ratio near a limit is about at the limit."""

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
    zone: float = 0.0
    """The share next to each end of the band within which a ratio is about at the limit."""
    tests: int = 1
    """How many tests the claim has."""
    floor: float = 0.0
    """The smallest standard deviation of a difference that is assumed."""

    def decide(self, ratio: float, holding: Interval, failing: Interval) -> Decision:
        """Return the decision on *ratio* from its intervals at the error and at a test's share of it."""
        decision = Decision.UNDECIDED
        if self.band.decide(holding) is Decision.HOLDS:
            decision = Decision.HOLDS
        elif self.band.decide(failing) is Decision.FAILS:
            decision = Decision.FAILS
        for zone in self.band.zones(self.zone):
            is_at_end = zone.decide(Interval(low=ratio, high=ratio)) is Decision.HOLDS
            if is_at_end and (decision is not Decision.UNDECIDED or zone.decide(holding) is Decision.HOLDS):
                return Decision.ABOUT
        return decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What the blocks of a test show."""

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
    p_value: float | None = None
    """The probability of evidence this strong if the decision is wrong, over all analyses; None if undecided."""

    @property
    def is_final(self) -> bool:
        """Whether more blocks change nothing."""
        return self.next_analysis is None


def replay(differences: Sequence[float], rule: ReplayRule) -> Replay:
    """Return what *differences* decide: the logarithm of the ratio in each block, oldest first."""
    return replay_all(np.array([differences], dtype=float), rule)[0]


def replay_all(rows: Floats, rule: ReplayRule) -> list[Replay]:
    """Return what each of *rows* decides, shape (tests, blocks): several tests with the same rule."""
    found = [Replay(next_analysis=rule.analyses[0])] * len(rows)
    for number, blocks in enumerate(rule.analyses):
        active = [at for at, each in enumerate(found) if not each.is_final]
        if not active or blocks > rows.shape[1]:
            break
        for at, analysed in zip(active, _analyse(rows[active, :blocks], rule, number), strict=True):
            found[at] = analysed
    return found


def analyse_all(differences: Sequence[float], rule: ReplayRule) -> Replay:
    """Return what all *differences* decide in a single analysis at the error of *rule*."""
    return replay(differences, replace(rule, analyses=(max(len(differences), 1),)))


def _analyse(rows: Floats, rule: ReplayRule, number: int) -> Iterator[Replay]:
    """Yield the state of each of *rows* after analysis *number*."""
    estimates, blocks = paired.estimate(rows, rule.floor), rows.shape[1]
    holding = _intervals(estimates, rule.error)
    failing = holding if rule.tests == 1 else _intervals(estimates, rule.error / rule.tests)
    ratios = [limited_exp(float(mean)) for mean in estimates.mean]
    decisions = [rule.decide(*each) for each in zip(ratios, holding, failing, strict=True)]
    is_late = number + 1 >= MIN_ANALYSES
    for at, decision in enumerate(decisions):
        fails = decision is Decision.FAILS
        is_about = decision is Decision.UNDECIDED and is_late and rule.band.is_near(ratios[at])
        is_final = decision is not Decision.UNDECIDED or blocks == rule.analyses[-1] or is_about
        yield Replay(
            decision=Decision.ABOUT if is_about else decision,
            next_analysis=None if is_final else paired.next_analysis(rule.analyses, blocks),
            blocks=blocks,
            ratio=ratios[at],
            interval=(failing if fails else holding)[at],
            p_value=_p_value(rows[at : at + 1], rule, decision),
        )


def _intervals(estimates: paired.Estimates, error: float) -> list[Interval]:
    low, high = paired.interval(estimates, np.full(estimates.count.shape, error))
    return [
        Interval(low=limited_exp(one), high=limited_exp(other))
        for one, other in zip(low.tolist(), high.tolist(), strict=True)
    ]


def _p_value(rows: Floats, rule: ReplayRule, decision: Decision) -> float | None:
    """Return the p-value of *decision*, times the analyses, and times the tests if it fails (Bonferroni)."""
    if decision not in (Decision.HOLDS, Decision.FAILS):
        return None
    inward = 1.0 if decision is Decision.HOLDS else -1.0
    p = [
        float(paired.one_sided_p(paired.estimate(rows - end, rule.floor), np.array([direction * inward]))[0])
        for end, direction in zip(rule.band.log_ends, (1.0, -1.0), strict=True)
        if math.isfinite(end)
    ]
    worst = max(p) if decision is Decision.HOLDS else min(p) * rule.tests
    return min(1.0, worst * len(rule.analyses))


def limited_exp(exponent: float) -> float:
    """Return e to the *exponent*, kept within the range of a float."""
    return math.exp(max(-MAX_LOG, min(exponent, MAX_LOG)))
