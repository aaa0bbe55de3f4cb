"""Tests all cases of a comparison together: screening finds suspects, and fresh data confirms them.

The error rate of the whole suite is 1 %. The rule for a single case, at its error rate:

- the interval excludes zero and reaches beyond the threshold: changed (regressed or improved);
- the interval lies within ± threshold: unchanged; *significant* states whether a smaller change was shown;
- otherwise: inconclusive.

So a change counts until it is shown to be smaller than the threshold (Schuirmann, D. J. (1987), two one-sided tests,
doi:10.1007/BF01068419, with the burden of proof reversed), and each interval meets exactly one of the three.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.compare.effects import Effects
from windtunnel.compare.samples_format import Rules, StageRules
from windtunnel.stats.multiple_testing import holm_levels, level_per_analysis
from windtunnel.stats.paired_differences import Estimates, interval, one_sided_p, robust, rounds_to_decide
from windtunnel.stats.student import Floats

Flags = NDArray[np.bool_]

MIN_ANALYSES = 3
"""Interim analyses before a case can be given up."""

ROUND_LIMIT_FACTOR = 1.5
"""Give up if a decision would need more than this many times the round limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseIntervals:
    """The confidence intervals of all cases; arrays have one entry per case, on the scale of the estimates."""

    estimates: Estimates
    alpha: Floats
    """The two-sided error rate of each interval."""
    thresholds: Floats
    lower: Floats
    upper: Floats

    @property
    def direction(self) -> Floats:
        """1 if an interval lies above zero, -1 if below, 0 if it contains zero."""
        return (self.lower > 0).astype(float) - (self.upper < 0)

    @property
    def inside(self) -> Flags:
        """Whether each interval lies within ± threshold."""
        return np.asarray((self.lower > -self.thresholds) & (self.upper < self.thresholds))

    def finished(self, interim_analyses: Sequence[int]) -> Flags:
        """Return which cases need no more rounds: those that are decided, and those that are given up.

        A case is given up after MIN_ANALYSES if it would need more than ROUND_LIMIT_FACTOR times the last of
        *interim_analyses* to be decided, with centre and spread of most rounds: outliers must not end it. Giving up
        costs no error rate, because nothing is claimed of such a case: stochastic curtailment (Lan, K. K. G., Simon,
        R. and Halperin, M. (1982), doi:10.1080/07474948208836014).
        """
        needed = rounds_to_decide(robust(self.estimates), self.alpha, self.thresholds)
        analysed = self.estimates.count >= interim_analyses[:MIN_ANALYSES][-1]
        given_up = analysed & ~(needed <= ROUND_LIMIT_FACTOR * interim_analyses[-1])
        return np.asarray((self.direction != 0) | self.inside | given_up)


def compute_intervals(estimates: Estimates, alpha: Floats, thresholds: Floats) -> CaseIntervals:
    """Return the intervals of *estimates* with the two-sided error rates *alpha*."""
    lower, upper = interval(estimates, alpha)
    return CaseIntervals(estimates=estimates, alpha=alpha, thresholds=thresholds, lower=lower, upper=upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """The final intervals of all cases, and how they were reached; arrays have one entry per case."""

    intervals: CaseIntervals
    suspected_direction: Floats
    """The direction that screening suspected, 0 for no suspect."""
    tested: Flags
    """Whether the case is a suspect with data to test it at the error rate of the suite; other cases have their own."""

    @property
    def significant(self) -> Flags:
        """Whether values changed in the suspected direction beyond noise, at the error rate of the suite."""
        return np.asarray(self.tested & (self.intervals.direction == self.suspected_direction))


def decide_cases(screening: Effects, confirmation: Effects, rules: Rules) -> Decisions:
    """Decide all cases together; both effects hold the same cases in the same order."""
    first = screening_intervals(screening, rules.screening)
    suspected_direction = first.direction
    if rules.confirm:
        second = confirmation.estimates
        alpha = _confirmation_levels(suspected_direction, second, rules.confirmation)
    else:
        second = first.estimates
        alpha = _one_stage_levels(second, rules)
    tested = (suspected_direction != 0) & (second.count > 0)
    estimates = _choose(tested, second, first.estimates)
    intervals = compute_intervals(estimates, np.where(tested, alpha, first.alpha), screening.thresholds)
    return Decisions(intervals=intervals, suspected_direction=suspected_direction, tested=tested)


def screening_intervals(effects: Effects, rules: StageRules) -> CaseIntervals:
    """Return the intervals of all cases at any interim analysis of screening."""
    alpha = np.full_like(effects.thresholds, level_per_analysis(rules.error, rules.interim_analyses))
    return compute_intervals(effects.estimates, alpha, effects.thresholds)


def confirming_alpha(suspects: int, rules: StageRules) -> float:
    """Return the two-sided error rate at which measuring one of *suspects* may stop.

    The direction is known, so one tail has the whole rate. Holm's procedure at the end is never stricter, provided
    that *suspects* counts those of the whole comparison.
    """
    return 2 * level_per_analysis(rules.error, rules.interim_analyses) / max(suspects, 1)


def _confirmation_levels(suspected_direction: Floats, fresh: Estimates, rules: StageRules) -> Floats:
    """Return the two-sided error rate of each suspect.

    The p of a suspect is that of all its rounds, times the number of interim analyses (Bonferroni).
    """
    suspect, analyses = suspected_direction != 0, len(rules.interim_analyses)
    levels = np.full(suspected_direction.shape, rules.error)
    levels[suspect] = holm_levels(analyses * one_sided_p(fresh.of(suspect), suspected_direction[suspect]), rules.error)
    return 2 * levels / analyses


def _one_stage_levels(estimates: Estimates, rules: Rules) -> Floats:
    """Return the two-sided error rate of each case without confirmation: the family of tests is the whole suite."""
    analyses = len(rules.screening.interim_analyses)
    p = 2 * one_sided_p(estimates, np.sign(estimates.mean))
    return holm_levels(analyses * p, rules.confirmation.error) / analyses


def _choose(tested: Flags, second: Estimates, first: Estimates) -> Estimates:
    """Return *second* where *tested*, else *first*."""
    width = max(second.rows.shape[1], first.rows.shape[1])
    rows = (
        np.pad(one.rows, ((0, 0), (0, width - one.rows.shape[1])), constant_values=np.nan) for one in (second, first)
    )
    return Estimates(
        count=np.where(tested, second.count, first.count),
        mean=np.where(tested, second.mean, first.mean),
        error=np.where(tested, second.error, first.error),
        freedom=np.where(tested, second.freedom, first.freedom),
        rows=np.where(tested[:, None], *rows),
    )
