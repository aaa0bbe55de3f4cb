"""What to measure next: who measures asks after every batch of rounds, until nothing is left to ask for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.compare.decision import CaseIntervals, confirming_alpha, positions, screened
from windtunnel.compare.effects import effects
from windtunnel.compare.format import Rules, StageRules
from windtunnel.model.measure import PairedSamples, Stage
from windtunnel.stats.error_rates import next_analysis


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRounds:
    """Measure so many more *rounds* of a case, for *stage*."""

    stage: Stage
    rounds: int


def next_steps(samples: Sequence[PairedSamples], rules: Rules, others: int = 0) -> tuple[NextRounds | None, ...]:
    """Return the next step of each of *trials*, None where it is decided or out of looks.

    *others* is the number of suspects in other shards: all share one error rate. Confirmation begins once every case
    is screened, when all suspects are known.
    """
    screening = effects(samples, Stage.SCREENING)
    first = screened(screening, rules.screening)
    steps = _steps(first, Stage.SCREENING, rules.screening)
    if any(steps) or not rules.confirm:
        return steps
    suspect = first.direction != 0
    fresh = effects(samples, Stage.CONFIRMATION)
    alpha = np.full(suspect.shape, confirming_alpha(int(suspect.sum()) + others, rules.confirmation))
    second = positions(fresh.estimates, alpha, fresh.thresholds)
    confirming = _steps(second, Stage.CONFIRMATION, rules.confirmation)
    return tuple(step if suspected else None for step, suspected in zip(confirming, suspect.tolist(), strict=True))


def suspects(samples: Sequence[PairedSamples], rules: Rules) -> tuple[PairedSamples, ...]:
    """Return the trials whose screening asks for confirmation."""
    found = screened(effects(samples, Stage.SCREENING), rules.screening).direction != 0
    return tuple(paired for paired, suspect in zip(samples, found.tolist(), strict=True) if suspect)


def _steps(where: CaseIntervals, stage: Stage, rules: StageRules) -> tuple[NextRounds | None, ...]:
    counts = where.estimates.count.astype(int).tolist()
    return tuple(
        None
        if over or (look := next_analysis(rules.interim_analyses, count)) is None
        else NextRounds(stage=stage, rounds=look - count)
        for over, count in zip(where.over(rules.interim_analyses).tolist(), counts, strict=True)
    )
