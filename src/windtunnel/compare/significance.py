"""Tests all cases of a comparison together: screening finds suspects, and fresh data confirms them.

The error rate of the whole suite is 1 %. The rule for a single case, at its error rate:

- the interval excludes zero and reaches beyond the threshold: changed (regressed or improved);
- the interval lies within ± threshold: unchanged; *significant* states whether a smaller change was shown;
- otherwise: inconclusive.

So a change counts until it is shown to be smaller than the threshold (Schuirmann, D. J. (1987), two one-sided tests,
doi:10.1007/BF01068419, with the burden of proof reversed), and each interval meets exactly one of the three.

A case with two levels has two intervals, each at half its error rate (Boole's inequality): of the change within a
level, and of the mean. The first one counts, unless only the mean has changed: then the share of the levels has.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.compare.effects import Effects
from windtunnel.compare.level_changes import LevelChanges
from windtunnel.compare.samples_format import Rules, StageRules
from windtunnel.stats.multiple_testing import holm_levels, level_per_analysis
from windtunnel.stats.paired_differences import Estimates, interval, one_sided_p, robust, rounds_to_decide
from windtunnel.stats.special import Floats

Flags = NDArray[np.bool_]

MIN_ANALYSES = 3
"""Interim analyses before a case can be given up."""

ROUND_LIMIT_FACTOR = 1.5
"""Give up if a decision would need more than this many times the round limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseIntervals:
    """The confidence intervals of all cases; arrays have one entry per case, on the scale of the estimates."""

    estimates: Estimates
    """What the intervals are of: mean differences, or those within a level."""
    alpha: Floats
    """The two-sided error rate of each interval."""
    thresholds: Floats
    lower: Floats
    upper: Floats
    within_levels: Flags
    """Whether the interval is of the change within a level."""

    @property
    def direction(self) -> Floats:
        """1 if an interval lies above zero, -1 if below, 0 if it contains zero."""
        return _direction(self.lower, self.upper)

    @property
    def inside(self) -> Flags:
        """Whether each interval lies within ± threshold."""
        return np.asarray((self.lower > -self.thresholds) & (self.upper < self.thresholds))

    def finished(self, rules: StageRules) -> Flags:
        """Return which cases need no more rounds: those that are decided, and those that are given up.

        A case is given up after MIN_ANALYSES if it would need more than ROUND_LIMIT_FACTOR times the rounds of its last
        analysis to be decided, with centre and spread of most rounds: outliers must not end it. Giving up costs no
        error rate, because nothing is claimed of such a case: stochastic curtailment (Lan, K. K. G., Simon, R. and
        Halperin, M. (1982), doi:10.1080/07474948208836014).
        """
        analyses = [rules.analyses(threshold) for threshold in self.thresholds.tolist()]
        last = np.array([one[-1] for one in analyses], dtype=float)
        first = np.array([max(one[:MIN_ANALYSES][-1], one[-MIN_ANALYSES:][0]) for one in analyses], dtype=float)
        needed = rounds_to_decide(robust(self.estimates), self.alpha, self.thresholds)
        analysed = self.estimates.count >= first
        given_up = analysed & ~(needed <= ROUND_LIMIT_FACTOR * last)
        return np.asarray((self.direction != 0) | self.inside | given_up)


def compute_intervals(effects: Effects, alpha: Floats) -> CaseIntervals:
    """Return the intervals of *effects* with the two-sided error rates *alpha*."""
    lower, upper = interval(effects.estimates, alpha)
    within = np.zeros(alpha.shape, dtype=bool)
    estimates = effects.estimates
    if effects.levels.found.any():
        two = np.flatnonzero(effects.levels.found)
        lower[two], upper[two] = interval(effects.estimates.of(two), alpha[two] / 2)
        low, high = interval(effects.levels.estimates.of(two), alpha[two] / 2)
        mean, level = _direction(lower[two], upper[two]), _direction(low, high)
        within[two] = (mean == 0) | (mean == level)
        lower[two], upper[two] = np.where(within[two], (low, high), (lower[two], upper[two]))
        estimates = _choose(within, effects.levels.estimates, estimates)
    return CaseIntervals(
        estimates=estimates,
        alpha=alpha,
        thresholds=effects.thresholds,
        lower=lower,
        upper=upper,
        within_levels=within,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """The final intervals of all cases, and how they were reached; arrays have one entry per case."""

    intervals: CaseIntervals
    levels: LevelChanges
    """The levels of the cases that have two, in the stage that decided."""
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
    alpha = _confirmation_levels(suspected_direction, confirmation, rules.confirmation)
    tested = (suspected_direction != 0) & (confirmation.estimates.count > 0)
    effects = Effects(
        estimates=_choose(tested, confirmation.estimates, screening.estimates),
        thresholds=screening.thresholds,
        levels=_choose_levels(tested, confirmation.levels, screening.levels),
    )
    intervals = compute_intervals(effects, np.where(tested, alpha, first.alpha))
    return Decisions(intervals=intervals, levels=effects.levels, suspected_direction=suspected_direction, tested=tested)


def screening_intervals(effects: Effects, rules: StageRules) -> CaseIntervals:
    """Return the intervals of all cases at any interim analysis of screening."""
    return compute_intervals(effects, analysis_levels(effects.thresholds, rules))


def analysis_levels(thresholds: Floats, rules: StageRules) -> Floats:
    """Return the error rate of each interim analysis of cases with these *thresholds*."""
    return np.array(
        [level_per_analysis(rules.error, rules.analyses(threshold)) for threshold in thresholds.tolist()], dtype=float
    )


def confirming_alpha(suspects: int, thresholds: Floats, rules: StageRules) -> Floats:
    """Return the two-sided error rate at which measuring each of *suspects* may stop.

    The direction is known, so one tail has the whole rate. Holm's procedure at the end is never stricter, provided
    that *suspects* counts those of the whole comparison.
    """
    return 2 * analysis_levels(thresholds, rules) / max(suspects, 1)


def _confirmation_levels(suspected_direction: Floats, fresh: Effects, rules: StageRules) -> Floats:
    """Return the two-sided error rate of each suspect.

    The p of a suspect is that of all its rounds, times the number of interim analyses (Bonferroni).
    """
    suspect = suspected_direction != 0
    analyses = rules.error / analysis_levels(fresh.thresholds, rules)
    levels = np.full(suspected_direction.shape, rules.error)
    levels[suspect] = holm_levels((analyses * _one_sided_p(fresh, suspected_direction))[suspect], rules.error)
    return np.asarray(2 * levels / analyses)


def _one_sided_p(effects: Effects, direction: Floats) -> Floats:
    """Return the p of each case in *direction*; two levels are two tests (Bonferroni)."""

    def of(estimates: Estimates, cases: NDArray[np.intp]) -> Floats:
        return one_sided_p(estimates.of(cases), direction[cases])

    p = of(effects.estimates, np.arange(effects.thresholds.size))
    two = np.flatnonzero(effects.levels.found)
    p[two] = 2 * np.minimum(p[two], of(effects.levels.estimates, two))
    return p


def _direction(lower: Floats, upper: Floats) -> Floats:
    return np.asarray((lower > 0).astype(float) - (upper < 0))


def _choose(chosen: Flags, second: Estimates, first: Estimates) -> Estimates:
    """Return *second* where *chosen*, else *first*."""
    width = max(second.rows.shape[1], first.rows.shape[1])
    rows = (
        np.pad(one.rows, ((0, 0), (0, width - one.rows.shape[1])), constant_values=np.nan) for one in (second, first)
    )
    return Estimates(
        count=np.where(chosen, second.count, first.count),
        mean=np.where(chosen, second.mean, first.mean),
        error=np.where(chosen, second.error, first.error),
        freedom=np.where(chosen, second.freedom, first.freedom),
        rows=np.where(chosen[:, None], *rows),
    )


def _choose_levels(chosen: Flags, second: LevelChanges, first: LevelChanges) -> LevelChanges:
    """Return *second* where *chosen*, else *first*."""
    return LevelChanges(
        found=np.where(chosen, second.found, first.found),
        estimates=_choose(chosen, second.estimates, first.estimates),
        distance=np.where(chosen, second.distance, first.distance),
        on_upper=np.where(chosen[:, None], second.on_upper, first.on_upper),
    )
