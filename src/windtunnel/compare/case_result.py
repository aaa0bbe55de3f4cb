"""One case of a decided comparison in the words of verdict.json."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from windtunnel.compare.decision import Decisions
from windtunnel.compare.effects import DifferenceScale, exact, find_scale
from windtunnel.compare.format import ArmSummary, Comparison, Rules, StageRules, Verdict
from windtunnel.compare.unpaired import is_unpaired
from windtunnel.model.measure import Better, PairedSamples, Pairing, ProcessValues, Stage, StageSamples
from windtunnel.model.result import Interval
from windtunnel.stats.multiple_testing import MIN_CASES, next_analysis
from windtunnel.stats.paired_differences import Floats, detectable, rounds_to_decide
from windtunnel.stats.student import upper_quantile

EXACT = "every process of a side gave the same value: taken to be exact"
ZERO_BASELINE = "the mean baseline is zero: there is no relative change"
NOT_POSITIVE = "some values are zero or below: the change is relative to the mean baseline"
NOT_REPEATED = "suspected by screening, not measured again"
NOT_CONFIRMED = "suspected by screening, not confirmed on fresh data"
NOT_FIRM = "looks changed by itself, but not beyond what a suite of this size shows by chance"
SMALL = "really changed, but by less than the threshold"
TOO_FEW = f"fewer than {MIN_CASES} cases with this unit: how far two runs lie apart is unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDecision:
    """The numbers of one case, on its own scale; *count* pairs were decided on."""

    paired: PairedSamples
    scale: DifferenceScale
    stage: Stage
    count: int
    mean: float
    lower: float
    upper: float
    alpha: float
    threshold: float
    suspicion: float
    tested: bool
    significant: bool
    detectable: float
    decided_after: float

    @property
    def inside(self) -> bool:
        """Whether the interval lies within ± threshold."""
        return -self.threshold < self.lower and self.upper < self.threshold

    @property
    def verdict(self) -> Verdict:
        """The rule of analysis.decision, and which way is better."""
        if self.inside:
            return Verdict.UNCHANGED
        if not self.significant:
            return Verdict.INCONCLUSIVE
        rose_is_worse = self.paired.better is Better.LOWER
        return Verdict.REGRESSED if (self.suspicion > 0) is rose_is_worse else Verdict.IMPROVED


def cases(samples: Sequence[PairedSamples], decisions: Decisions, rules: Rules) -> tuple[CaseDecision, ...]:
    """Return the case of each of *trials*, in their order."""
    positions = decisions.positions
    columns = {
        "count": positions.estimates.count.astype(int),
        "mean": positions.estimates.mean,
        "lower": positions.lower,
        "upper": positions.upper,
        "alpha": positions.alpha,
        "threshold": positions.thresholds,
        "suspicion": decisions.suspicion,
        "tested": decisions.tested,
        "significant": decisions.significant,
        "detectable": detectable(positions.estimates, positions.alpha),
        "decided_after": rounds_to_decide(positions.estimates, positions.alpha, positions.thresholds),
    }
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return tuple(
        CaseDecision(
            paired=paired,
            scale=find_scale(paired),
            stage=Stage.CONFIRMATION if rules.confirm and row["tested"] else Stage.SCREENING,
            **row,
        )
        for paired, row in zip(samples, (dict(zip(columns, row, strict=True)) for row in rows), strict=True)
    )


def comparison(case: CaseDecision, rules: Rules) -> Comparison:
    """Return *case* as verdict.json tells it."""
    paired = case.paired
    baseline, contender = sides(paired.at(case.stage) or paired.at(Stage.SCREENING), case.scale)
    return Comparison(
        **{field.name: getattr(paired, field.name) for field in fields(paired)},
        baseline=baseline,
        contender=contender,
        relative_change=_relative(case.mean, case.scale) if case.count else None,
        interval=_interval(case),
        confidence=1 - case.alpha * len(_rules_of(case, rules).interim_analyses),
        verdict=case.verdict,
        significant=case.significant,
        confirmed=case.significant and rules.confirm,
        smallest_detectable=_relative(case.detectable, case.scale),
        rounds_needed=_rounds_needed(case, rules) if case.verdict is Verdict.INCONCLUSIVE else None,
        notes=tuple(_notes(case, rules)),
    )


def _rules_of(case: CaseDecision, rules: Rules) -> StageRules:
    return rules.screening if case.stage is Stage.SCREENING else rules.confirmation


def _relative(value: float, scale: DifferenceScale) -> float | None:
    """Return a difference as a relative change; None where there is none or it is too large to write down."""
    if scale is DifferenceScale.SPAN:
        return 0.0 if value == 0 else None
    with np.errstate(over="ignore"):
        change = float(np.expm1(value)) if scale is DifferenceScale.RATIO else value
    return change if np.isfinite(change) else None


def _interval(case: CaseDecision) -> Interval | None:
    lower, upper = _relative(case.lower, case.scale), _relative(case.upper, case.scale)
    return None if lower is None or upper is None or not np.isfinite(case.lower) else Interval(low=lower, high=upper)


def _rounds_needed(case: CaseDecision, rules: Rules) -> int | None:
    if is_unpaired(case.paired):
        return None
    if case.suspicion and not case.tested:
        return rules.confirmation.interim_analyses[0]
    if case.count < 2:
        following = next_analysis(_rules_of(case, rules).interim_analyses, case.count)
        return following - case.count if following else None
    return max(1, int(case.decided_after) - case.count) if np.isfinite(case.decided_after) else None


def _notes(case: CaseDecision, rules: Rules) -> Sequence[str]:
    """Return what a reader has to know before believing the numbers."""
    unproven = case.suspicion != 0 and not case.significant
    return [
        note
        for note, holds in (
            (EXACT, exact(case.paired, case.stage) and case.lower == case.upper),
            (ZERO_BASELINE, case.scale is DifferenceScale.SPAN and case.mean != 0),
            (NOT_POSITIVE, case.scale is DifferenceScale.SHARE),
            (NOT_REPEATED, unproven and not case.tested),
            (NOT_CONFIRMED, unproven and rules.confirm and case.tested),
            (NOT_FIRM, unproven and not rules.confirm),
            (SMALL, case.significant and case.inside),
            (TOO_FEW, is_unpaired(case.paired) and not np.isfinite(case.upper)),
        )
        if holds
    ]


CONFIDENCE = 0.95
"""Of a side's own interval; the verdict rests on the interval of the change, which is narrower for being paired."""


def sides(stage_samples: Sequence[StageSamples], scale: DifferenceScale) -> tuple[ArmSummary, ArmSummary]:
    """Return baseline and contender over *passes*, which all belong to one stage; unpaired processes are left out."""
    return (
        _side([(one, one.baseline) for one in stage_samples], scale),
        _side([(one, one.contender) for one in stage_samples], scale),
    )


def _side(parts: Sequence[tuple[StageSamples, ProcessValues]], scale: DifferenceScale) -> ArmSummary:
    if any(one.pairing is Pairing.SEPARATE for one, _ in parts):
        pooled = [value for _, side in parts for value in side.values]
        return ArmSummary(value=float(np.median(pooled)), interval=None, processes=0)
    values = np.array([value for one, side in parts for value in side.values[: one.rounds]], dtype=float)
    return ArmSummary(
        value=_mean(values, scale),
        interval=_arm_interval(values, scale),
        processes=values.size,
        median=_middle([value for one, side in parts for value in side.medians[: one.rounds]]),
        p95=_middle([value for one, side in parts for value in side.p95s[: one.rounds]]),
    )


def _mean(values: Floats, scale: DifferenceScale) -> float:
    return (
        float(np.exp(np.log(values).mean())) if scale is DifferenceScale.RATIO else float((values / values.size).sum())
    )


def _arm_interval(values: Floats, scale: DifferenceScale) -> Interval | None:
    """Return Student's interval of the mean, on logarithms for ratios; None where it does not exist or is boundless."""
    if values.size < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        ends = np.exp(_ends(np.log(values))) if scale is DifferenceScale.RATIO else _ends(values)
    return Interval(low=float(ends[0]), high=float(ends[1])) if np.isfinite(ends).all() else None


def _ends(values: Floats) -> Floats:
    half = upper_quantile((1 - CONFIDENCE) / 2, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size)
    return np.array([values.mean() - half, values.mean() + half])


def _middle(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None
