"""Tests all cases of a comparison together: screening finds suspects, and fresh data confirms them.

The error rate of the whole suite is 1 %. The rule for a single case, at its error rate:

- the interval excludes zero and reaches beyond the threshold: changed (regressed or improved);
- the interval lies within ± threshold: unchanged; *significant* states whether a smaller change was shown;
- otherwise: undecided, or inconclusive if not even a doubling is excluded.

So a change counts until it is shown to be smaller than the threshold (Schuirmann, D. J. (1987), two one-sided tests,
doi:10.1007/BF01068419, with the burden of proof reversed), and each interval meets exactly one of the three.

A case with two levels has two intervals, each at half its error rate (Boole's inequality): of the change within a
level, and of the mean. The first one counts, unless only the mean has changed: then the share of the levels has.

Counts of instructions decide whether the code of a case does more work. The verdict on time does not use them.

With one hash seed, a count repeats almost to the last instruction. Another seed orders sets and dictionaries
differently, so the spread over seeds is the noise. Base and head have the same seeds, so the ratio is taken for each
seed; Student's interval of its logarithm has the confidence `CONFIDENCE`.

- The interval excludes zero and reaches beyond `SAME_WORK`: more, or less.
- It lies within ± `SAME_WORK`: the same.
- Otherwise it is unknown.
- With one seed alone, counts that differ by no more than `SAME_WORK` are the same, others unknown.

The spread over seeds does not show one thing: objects at other addresses change counts by less than `SAME_WORK`, also
where head does the same work. That is why a smaller change is never called more work.

The gate is for a suite that sets ``instructions-threshold``. A case fails it where the whole interval lies above its
threshold, at the error rate `GATE_ERROR` for all gated cases together (Bonferroni).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.compare.effects import Effects, LevelChanges, to_matrix
from windtunnel.compare.samples_format import (
    InstructionChange,
    PairedSamples,
    Rules,
    StageRules,
    WorkChange,
    WorkSamples,
)
from windtunnel.model.run import Interval
from windtunnel.model.schedule import COMPARISON, InstructionCounts
from windtunnel.stats import paired_differences as paired
from windtunnel.stats.special import Floats

Flags = NDArray[np.bool_]

MIN_ANALYSES = 3
"""Interim analyses before a case can be given up."""

ROUND_LIMIT_FACTOR = 1.5
"""Give up if a decision would need more than this many times the round limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseIntervals:
    """The confidence intervals of all cases; arrays have one entry per case, on the scale of the estimates."""

    estimates: paired.Estimates
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

    def suspected(self, rules: StageRules) -> Floats:
        """Return the direction of each suspect: the interval excludes zero.

        One that lies within ± threshold counts only if the usual rounds show it: to confirm it takes long otherwise.
        """
        last = np.array([rules.usual(threshold)[-1] for threshold in self.thresholds.tolist()], dtype=float)
        return np.where(self.inside & (self.estimates.count > last), 0.0, self.direction)

    def finished(self, rules: StageRules, *, patient: bool = False) -> Flags:
        """Return which cases need no more rounds: those that are decided, and unless *patient* those that are given up.

        So are, for now, those that had their usual rounds.

        A case is given up after MIN_ANALYSES if it would need more than ROUND_LIMIT_FACTOR times the rounds of its last
        analysis to be decided, with centre and spread of most rounds: outliers must not end it. Giving up costs no
        error rate, because nothing is claimed of such a case: stochastic curtailment (Lan, K. K. G., Simon, R. and
        Halperin, M. (1982), doi:10.1080/07474948208836014).
        """
        analyses = [rules.usual(threshold) for threshold in self.thresholds.tolist()]
        last = np.array([one[-1] for one in analyses], dtype=float)
        first = np.array([max(one[:MIN_ANALYSES][-1], one[-MIN_ANALYSES:][0]) for one in analyses], dtype=float)
        needed = paired.rounds_to_decide(paired.robust(self.estimates), self.alpha, self.thresholds)
        analysed = self.estimates.count >= first
        given_up = (analysed & ~(needed <= ROUND_LIMIT_FACTOR * last)) | (self.estimates.count >= last)
        return np.asarray((self.direction != 0) | self.inside | (given_up & (not patient)))


def compute_intervals(effects: Effects, alpha: Floats) -> CaseIntervals:
    """Return the intervals of *effects* with the two-sided error rates *alpha*."""
    lower, upper = paired.interval(effects.estimates, alpha)
    within = np.zeros(alpha.shape, dtype=bool)
    estimates = effects.estimates
    if effects.levels.found.any():
        two = np.flatnonzero(effects.levels.found)
        lower[two], upper[two] = paired.interval(effects.estimates.of(two), alpha[two] / 2)
        low, high = paired.interval(effects.levels.estimates.of(two), alpha[two] / 2)
        mean, level = _direction(lower[two], upper[two]), _direction(low, high)
        narrower = high - low < upper[two] - lower[two]
        within[two] = np.where(narrower, (mean == 0) | (mean == level), (mean == 0) & (level != 0))
        lower[two], upper[two] = np.where(within[two], (low, high), (lower[two], upper[two]))
        estimates = paired.choose(within, effects.levels.estimates, estimates)
    return CaseIntervals(
        estimates=estimates, alpha=alpha, thresholds=effects.thresholds, lower=lower, upper=upper, within_levels=within
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
    suspected_direction = first.suspected(rules.screening)
    alpha = _confirmation_levels(suspected_direction, confirmation, rules.confirmation)
    tested = (suspected_direction != 0) & (confirmation.estimates.count > 0)
    effects = Effects(
        estimates=paired.choose(tested, confirmation.estimates, screening.estimates),
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
        [paired.level_per_analysis(rules.error, rules.analyses(threshold)) for threshold in thresholds.tolist()],
        dtype=float,
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
    levels[suspect] = paired.holm_levels((analyses * _one_sided_p(fresh, suspected_direction))[suspect], rules.error)
    return np.asarray(2 * levels / analyses)


def _one_sided_p(effects: Effects, direction: Floats) -> Floats:
    """Return the p of each case in *direction*; two levels are two tests (Bonferroni)."""

    def of(estimates: paired.Estimates, cases: NDArray[np.intp]) -> Floats:
        return paired.one_sided_p(estimates.of(cases), direction[cases])

    p = of(effects.estimates, np.arange(effects.thresholds.size))
    two = np.flatnonzero(effects.levels.found)
    p[two] = 2 * np.minimum(p[two], of(effects.levels.estimates, two))
    return p


def _direction(lower: Floats, upper: Floats) -> Floats:
    return np.asarray((lower > 0).astype(float) - (upper < 0))


def _choose_levels(chosen: Flags, second: LevelChanges, first: LevelChanges) -> LevelChanges:
    """Return *second* where *chosen*, else *first*."""
    return LevelChanges(
        found=np.where(chosen, second.found, first.found),
        estimates=paired.choose(chosen, second.estimates, first.estimates),
        distance=np.where(chosen, second.distance, first.distance),
        on_upper=np.where(chosen[:, None], second.on_upper, first.on_upper),
    )


CONFIDENCE = 0.99
"""The confidence of the interval of one case."""

SAME_WORK = 0.001
"""The relative change up to which the work counts as the same."""

MIN_SPREAD = 1e-4
"""The smallest standard deviation over seeds that is assumed: the counts of a few seeds may be equal by chance."""

GATE_ERROR = 0.01
"""The probability that the gate fails although no case executes more instructions than its threshold allows."""

MIN_SEEDS = 3
"""Seeds without which the spread is too uncertain."""

THREADS = "the case runs threads or processes, and their work is not counted reliably"
TOO_WIDE = "the counts of the hash seeds differ too much"


def decide_work(samples: Sequence[PairedSamples]) -> tuple[InstructionChange | None, ...]:
    """Return what the counts of each of *samples* show; None if counting it was not tried."""
    counted = [(one, ratios) for one in samples if one.work and not isinstance(ratios := _ratios(one.work), str)]
    estimates = paired.estimate(to_matrix([ratios for _, ratios in counted]), MIN_SPREAD)
    gated = sum(one.instructions_threshold > 0 for one, _ in counted)
    lower, upper = paired.interval(estimates, np.full(len(counted), 1 - CONFIDENCE))
    surely_above, _ = paired.interval(estimates, np.full(len(counted), 2 * GATE_ERROR / max(gated, 1)))
    columns = (estimates.mean, lower, upper, surely_above)
    found = {
        one.identity: _change(one, *row)
        for (one, _), *row in zip(counted, *(column.tolist() for column in columns), strict=True)
    }
    return tuple(found.get(one.identity) or _without_ratios(one) for one in samples)


def _ratios(work: WorkSamples) -> Floats | str:
    """Return the logarithms of head / base, one for each seed; why there are none otherwise."""
    base, head = work.base, work.head
    if not work.counted:
        reasons = {commit: one.reason for commit, one in (("base", base), ("head", head)) if not one.per_call}
        if len(set(reasons.values())) == 1 and len(reasons) == 2:
            return base.reason or "it was not counted"
        return "; ".join(f"on {commit}: {one or 'not counted'}" for commit, one in reasons.items())
    if len(base.per_call) != len(head.per_call):
        return "base and head were not counted with the same hash seeds"
    if len(base.per_call) < MIN_SEEDS:
        return f"counts of at least {MIN_SEEDS} hash seeds are needed"
    if min(*base.per_call, *head.per_call) <= 0:
        return "a count is not above zero"
    return np.asarray(np.log(head.per_call) - np.log(base.per_call))


def work_change(base: InstructionCounts, head: InstructionCounts) -> float | None:
    """Return the logarithm of head / base with the first seed; None unless both were counted, in one thread."""
    counted = [one for one in (base, head) if one.per_call and not one.other_threads and min(one.per_call) > 0]
    return math.log(head.per_call[0] / base.per_call[0]) if len(counted) == len(COMPARISON) else None


def _without_ratios(one: PairedSamples) -> InstructionChange | None:
    """Return what too few counts show: nothing, or the same work, if those with one seed are equal."""
    if one.work is None:
        return None
    base, head = one.work.base.per_call, one.work.head.per_call
    change = work_change(one.work.base, one.work.head) if len(base) == len(head) == 1 else None
    if change is None or abs(change) > math.log1p(SAME_WORK):
        return InstructionChange(work="unknown", reason=str(_ratios(one.work)))
    return InstructionChange(base=base[0], head=head[0], relative_change=math.expm1(change), work="same")


def _change(one: PairedSamples, mean: float, lower: float, upper: float, surely_above: float) -> InstructionChange:
    """Return the change of a counted case; arguments are logarithms of ratios."""
    assert one.work
    partial = one.work.base.other_threads or one.work.head.other_threads
    change, low, high = (_to_relative(value) for value in (mean, lower, upper))
    work = "unknown" if partial or change is None else _decide(lower, upper)
    known = low is not None and high is not None
    beyond = one.instructions_threshold > 0 and surely_above > math.log1p(one.instructions_threshold)
    return InstructionChange(
        base=_mean(one.work.base),
        head=_mean(one.work.head),
        relative_change=change,
        interval=Interval(low=low, high=high) if low is not None and high is not None else None,
        work=work,
        regressed=beyond and known and not partial,
        reason=THREADS if partial else "" if work != "unknown" else TOO_WIDE,
    )


def _decide(lower: float, upper: float) -> WorkChange:
    margin = math.log1p(SAME_WORK)
    if -margin <= lower and upper <= margin:
        return "same"
    if lower > 0:
        return "more"
    return "less" if upper < 0 else "unknown"


def _mean(counts: InstructionCounts) -> float:
    return math.exp(math.fsum(map(math.log, counts.per_call)) / len(counts.per_call))


def _to_relative(value: float) -> float | None:
    """Return the relative change of a logarithm; None if it is beyond what a number holds."""
    try:
        return math.expm1(value) if math.isfinite(value) else None
    except OverflowError:
        return None
