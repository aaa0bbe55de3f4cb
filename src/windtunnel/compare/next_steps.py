"""What to measure next: who measures asks after every batch of rounds, until nothing is left to ask for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.compare.decision import Positions, confirming_alpha, positions, screened
from windtunnel.compare.effects import effects
from windtunnel.compare.format import Rules, StageRules
from windtunnel.model.measure import Stage, Trial
from windtunnel.stats.error_rates import next_look


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Measure so many more *rounds* of a case, for *stage*."""

    stage: Stage
    rounds: int


def next_steps(trials: Sequence[Trial], rules: Rules, others: int = 0) -> tuple[Step | None, ...]:
    """Return the next step of each of *trials*, None where it is decided or out of looks.

    *others* is the number of suspects in other shards: all share one error rate. Confirmation begins once every case
    is screened, when all suspects are known.
    """
    screening = effects(trials, Stage.SCREENING)
    first = screened(screening, rules.screening)
    steps = _steps(first, Stage.SCREENING, rules.screening)
    if any(steps) or not rules.confirm:
        return steps
    suspect = first.direction != 0
    fresh = effects(trials, Stage.CONFIRMATION)
    alpha = np.full(suspect.shape, confirming_alpha(int(suspect.sum()) + others, rules.confirmation))
    second = positions(fresh.estimates, alpha, fresh.thresholds)
    confirming = _steps(second, Stage.CONFIRMATION, rules.confirmation)
    return tuple(step if suspected else None for step, suspected in zip(confirming, suspect.tolist(), strict=True))


def suspects(trials: Sequence[Trial], rules: Rules) -> tuple[Trial, ...]:
    """Return the trials whose screening asks for confirmation."""
    found = screened(effects(trials, Stage.SCREENING), rules.screening).direction != 0
    return tuple(trial for trial, suspect in zip(trials, found.tolist(), strict=True) if suspect)


def _steps(where: Positions, stage: Stage, rules: StageRules) -> tuple[Step | None, ...]:
    counts = where.estimates.count.astype(int).tolist()
    return tuple(
        None if over or (look := next_look(rules.looks, count)) is None else Step(stage=stage, rounds=look - count)
        for over, count in zip(where.over(rules.looks).tolist(), counts, strict=True)
    )
