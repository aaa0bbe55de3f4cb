"""From estimates to decisions: screening finds suspects, fresh data convicts them, a suite errs once in a hundred.

The rule of a single case, at the level that applies to it:

- the interval excludes zero and reaches beyond the threshold: changed (regressed or improved);
- the interval lies within ± threshold: unchanged, or changed by less than matters, which *significant* tells apart;
- else: inconclusive.

So a change counts until it is shown to be smaller than the threshold (Schuirmann's two one-sided tests, 1987,
doi:10.1007/BF01068419, with the burden on the change), and exactly one of the three holds for every interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.compare.effects import Effects
from windtunnel.compare.format import Rules, StageRules
from windtunnel.stats.multiple_testing import holm_levels, level_per_analysis
from windtunnel.stats.paired_differences import Estimates, Floats, interval, one_sided_p, robust, rounds_to_decide

Flags = NDArray[np.bool_]

MIN_ANALYSES = 3
"""Looks after which a case that will not be decided is given up."""

ROUND_LIMIT_FACTOR = 1.5
"""Times the rounds that there may be: a case that needs no more than that may be luckier than it looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseIntervals:
    """Where the intervals of all cases lie, each at its two-sided level *alpha*, on the scale of the estimates."""

    estimates: Estimates
    alpha: Floats
    thresholds: Floats
    lower: Floats
    upper: Floats

    @property
    def direction(self) -> Floats:
        """Which side of zero each interval lies on: 1 above, -1 below, 0 where it holds zero."""
        return (self.lower > 0).astype(float) - (self.upper < 0)

    @property
    def inside(self) -> Flags:
        """Whether each interval lies within ± threshold."""
        return np.asarray((self.lower > -self.thresholds) & (self.upper < self.thresholds))

    def over(self, interim_analyses: Sequence[int]) -> Flags:
        """Return for which cases measuring ends before the last of *looks*.

        For those that are decided; and after the third look for those that half as many rounds again as there may be
        would not decide, if centre and spread stayed as most rounds have them: what single late processes spoil may
        yet be decided by ranks. Giving up costs no error rate, for nothing is claimed of such a case: stochastic
        curtailment (Lan, Simon and Halperin, 1982, doi:10.1080/07474948208836014).
        """
        needed = rounds_to_decide(robust(self.estimates), self.alpha, self.thresholds)
        given_up = (self.estimates.count >= interim_analyses[:MIN_ANALYSES][-1]) & ~(
            needed <= ROUND_LIMIT_FACTOR * interim_analyses[-1]
        )
        return np.asarray((self.direction != 0) | self.inside | given_up)


def positions(estimates: Estimates, alpha: Floats, thresholds: Floats) -> CaseIntervals:
    """Return where the intervals of *estimates* lie."""
    lower, upper = interval(estimates, alpha)
    return CaseIntervals(estimates=estimates, alpha=alpha, thresholds=thresholds, lower=lower, upper=upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """The intervals that count, and which way screening suspected each case to have moved (0: no suspect).

    A suspect that was *tested* is held against the error rate of the whole suite, any other case against its own.
    """

    positions: CaseIntervals
    suspicion: Floats
    tested: Flags

    @property
    def significant(self) -> Flags:
        """Whether the values moved as suspected, beyond noise; errs in no more suites than the rules agree to."""
        return np.asarray(self.tested & (self.positions.direction == self.suspicion))


def decide_cases(screening: Effects, confirmation: Effects, rules: Rules) -> Decisions:
    """Decide all cases of a comparison together; both effects hold the same cases in the same order."""
    first = screened(screening, rules.screening)
    suspicion = first.direction
    suspect = suspicion != 0
    if rules.confirm:
        second = confirmation.estimates
        levels = _confirming_levels(suspicion, second, rules.confirmation)
    else:
        second = first.estimates
        levels = _one_stage_levels(second, rules)
    tested = suspect & (second.count > 0)
    estimates = _either(tested, second, first.estimates)
    alpha = np.where(tested, levels, first.alpha)
    return Decisions(positions=positions(estimates, alpha, screening.thresholds), suspicion=suspicion, tested=tested)


def screened(effects: Effects, rules: StageRules) -> CaseIntervals:
    """Return where each case stands for itself, as screening sees it at any of its looks."""
    alpha = np.full_like(effects.thresholds, level_per_analysis(rules.error, rules.interim_analyses))
    return positions(effects.estimates, alpha, effects.thresholds)


def confirming_alpha(suspects: int, rules: StageRules) -> float:
    """Return the two-sided level of one look at one of *suspects*: the direction is known, so one tail has it all.

    Enough to tell when measuring may stop; Holm's procedure at the end is nowhere stricter.
    """
    return 2 * level_per_analysis(rules.error, rules.interim_analyses) / max(suspects, 1)


def _confirming_levels(suspicion: Floats, fresh: Estimates, rules: StageRules) -> Floats:
    """Return the two-sided level of each suspect's look; the p of a case is its smallest over the looks times looks."""
    suspect, interim_analyses = suspicion != 0, len(rules.interim_analyses)
    levels = np.full(suspicion.shape, rules.error)
    levels[suspect] = holm_levels(interim_analyses * one_sided_p(fresh.of(suspect), suspicion[suspect]), rules.error)
    return 2 * levels / interim_analyses


def _one_stage_levels(estimates: Estimates, rules: Rules) -> Floats:
    """Return the two-sided level of each case where screening is all there is: the family is the whole suite."""
    interim_analyses = len(rules.screening.interim_analyses)
    p = 2 * one_sided_p(estimates, np.sign(estimates.mean))
    return holm_levels(interim_analyses * p, rules.confirmation.error) / interim_analyses


def _either(tested: Flags, second: Estimates, first: Estimates) -> Estimates:
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
