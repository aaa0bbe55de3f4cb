"""Decide what to measure next, and in which order the processes of a round run."""

import random
from collections.abc import Sequence

from msgspec import Struct

from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.effects import compute_effects
from windtunnel.compare.samples_format import PairedSamples, Rules, StageRules
from windtunnel.compare.significance import CaseIntervals, compute_intervals, confirming_alpha, screening_intervals
from windtunnel.model.schedule import Arms, ScheduledProcess, Stage
from windtunnel.stats.multiple_testing import next_analysis


class NextRounds(Struct, frozen=True, kw_only=True):
    """The rounds to measure next of one case."""

    stage: Stage
    rounds: int


def schedule_round(
    cases: Sequence[tuple[ComparableCase, Stage, Arms]], rng: random.Random
) -> tuple[ScheduledProcess, ...]:
    """Return the processes of one round: cases in random order, the two arms of a case in direct succession."""
    pairs = []
    for one, stage, arms in cases:
        name, index = one.samples.benchmark, one.base_index
        pair = [ScheduledProcess(arm=arm, stage=stage, benchmark=name, case=one.case, base_index=index) for arm in arms]
        rng.shuffle(pair)
        pairs.append(pair)
    rng.shuffle(pairs)
    return tuple(process for pair in pairs for process in pair)


def next_steps(samples: Sequence[PairedSamples], rules: Rules, others: int = 0) -> tuple[NextRounds | None, ...]:
    """Return the next rounds of each of *samples*, None if it is decided or its last analysis is over.

    *others* is the number of suspects that other shards confirm: all suspects share one error rate. Confirmation begins
    when every case is screened, because only then all suspects are known.
    """
    screening = compute_effects(samples, Stage.SCREENING)
    first = screening_intervals(screening, rules.screening)
    steps = _steps(first, Stage.SCREENING, rules.screening)
    if any(steps):
        return steps
    suspect = first.direction != 0
    fresh = compute_effects(samples, Stage.CONFIRMATION)
    alpha = confirming_alpha(int(suspect.sum()) + others, fresh.thresholds, rules.confirmation)
    second = compute_intervals(fresh, alpha)
    confirming = _steps(second, Stage.CONFIRMATION, rules.confirmation)
    return tuple(step if suspected else None for step, suspected in zip(confirming, suspect.tolist(), strict=True))


def find_suspects(samples: Sequence[PairedSamples], rules: Rules) -> tuple[PairedSamples, ...]:
    """Return the samples whose screening shows a change that confirmation has to check."""
    suspect = screening_intervals(compute_effects(samples, Stage.SCREENING), rules.screening).direction != 0
    return tuple(one for one, suspected in zip(samples, suspect.tolist(), strict=True) if suspected)


def _steps(intervals: CaseIntervals, stage: Stage, rules: StageRules) -> tuple[NextRounds | None, ...]:
    finished = intervals.finished(rules).tolist()
    counts = intervals.estimates.count.astype(int).tolist()
    analyses = [rules.analyses(threshold) for threshold in intervals.thresholds.tolist()]
    return tuple(
        None
        if done or (after := next_analysis(of_case, count)) is None
        else NextRounds(stage=stage, rounds=after - count)
        for done, count, of_case in zip(finished, counts, analyses, strict=True)
    )
