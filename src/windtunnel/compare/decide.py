"""Decide a whole comparison: the error rate applies to all its cases together; and state the result of each case."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from windtunnel.compare import format as verdicts
from windtunnel.compare.effects import MIN_SPREAD, DifferenceScale, compute_effects, find_scale, to_relative_change
from windtunnel.compare.samples_format import InstructionChange, PairedSamples, ProcessValues, Rules, StageSamples
from windtunnel.compare.schedule import find_suspects
from windtunnel.compare.significance import Decisions, Flags, decide_cases, decide_work
from windtunnel.model.run import Interval
from windtunnel.model.schedule import Stage
from windtunnel.stats.paired_differences import detectable, estimate, interval, next_analysis, rounds_to_decide
from windtunnel.stats.special import Floats, upper_quantile
from windtunnel.text import numbers

ZERO_BASELINE = "the mean baseline is zero, so a relative change does not exist"
NOT_POSITIVE = "some values are zero or below, so the change is relative to the mean baseline"
NOT_CONFIRMED = "suspected at first; the second measurement leaves it open"
DISCARDED = "suspected, but the control moved while it was measured again"
SMALL = "really changed, but by less than the threshold"
NO_ROUND = "no round has a value on both commits"

MAX_UNDECIDED_SHARE = 0.1
"""The share of undecided or inconclusive cases up to which the head counts as unchanged; the headline counts them."""

ARM_CONFIDENCE = 0.95
"""The confidence of an arm's own interval; the verdict uses the interval of the change, which is narrower."""

MIN_COMMON_CASES = 10
"""Cases below which no change is called common."""

MIN_COMMON_SHARE = 0.8
"""The share of cases that have to lie near the common change."""

MIN_CONTROL_CASES = 2
"""Cases without which the control cannot move together."""

CONTROL_ERROR = 0.001
"""The probability that a control that did not move discards a comparison."""

MIN_COMMON_CHANGE = 0.01
"""The smallest median change that is reported; a suite of 150 cases without a change stays below 0.3 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDecision:
    """The decision on one case; differences are on the scale of the case."""

    samples: PairedSamples
    stage: Stage
    """The stage that decided."""
    count: int
    """The number of rounds that it is based on."""
    mean: float
    lower: float
    upper: float
    alpha: float
    """The two-sided error rate of the interval."""
    threshold: float
    suspected_direction: float
    """The direction that screening suspected, 0 for none."""
    tested: bool
    significant: bool
    within_levels: bool
    """Whether the interval is of the change within a level."""
    level_distance: float
    """How far the levels of a case that has two are apart, otherwise 0."""
    on_upper: tuple[int, int]
    """The number of processes of each arm on the upper level."""
    detectable: float
    """The difference that four of five such comparisons would detect."""
    decided_after: float
    """The number of rounds after which the case would be decided; NaN if unknown."""
    finished: bool
    """Whether the case is decided, or given up as too noisy."""
    discarded: bool
    """Whether the control moved, so that what confirms a change does not count."""

    @property
    def scale(self) -> DifferenceScale:
        """The scale of the differences."""
        return find_scale(self.samples)

    @property
    def inside(self) -> bool:
        """Whether the interval lies within ± threshold."""
        return -self.threshold < self.lower and self.upper < self.threshold

    @property
    def excludes_doubling(self) -> bool:
        """Whether the interval excludes that the case is twice as bad: a doubling, or a halving if higher is better."""
        lower_is_better = self.samples.better == "lower"
        worst = to_relative_change(self.upper if lower_is_better else self.lower, self.scale)
        return worst is not None and (worst < 1.0 if lower_is_better else worst > -0.5)

    @property
    def verdict(self) -> verdicts.Verdict:
        """The verdict by the rule in `windtunnel.compare.significance`."""
        if self.inside:
            return "unchanged"
        if not self.significant:
            return "undecided" if self.excludes_doubling else "inconclusive"
        higher_is_worse = self.samples.better == "lower"
        return "regressed" if (self.suspected_direction > 0) is higher_is_worse else "improved"


def case_results(
    samples: Sequence[PairedSamples], decisions: Decisions, rules: Rules, *, discarded: bool = False
) -> tuple[verdicts.Comparison, ...]:
    """Return the entry of each of *samples*, in their order; where the confirmation is *discarded*, none changed."""
    intervals = decisions.intervals
    columns = {
        "count": intervals.estimates.count.astype(int),
        "mean": intervals.estimates.mean,
        "lower": intervals.lower,
        "upper": intervals.upper,
        "alpha": intervals.alpha,
        "threshold": intervals.thresholds,
        "suspected_direction": decisions.suspected_direction,
        "tested": decisions.tested,
        "significant": decisions.significant & (not discarded),
        "within_levels": intervals.within_levels,
        "level_distance": np.where(decisions.levels.found, decisions.levels.distance, 0.0),
        "on_upper": decisions.levels.on_upper,
        "detectable": detectable(intervals.estimates, intervals.alpha),
        "decided_after": rounds_to_decide(intervals.estimates, intervals.alpha, intervals.thresholds),
        "finished": np.where(
            decisions.tested, intervals.finished(rules.confirmation), intervals.finished(rules.screening)
        ),
    }
    found = []
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    for one, work, row in zip(samples, decide_work(samples), rows, strict=True):
        values = dict(zip(columns, row, strict=True))
        stage: Stage = "confirmation" if values["tested"] else "screening"
        found.append(_comparison(CaseDecision(samples=one, stage=stage, discarded=discarded, **values), rules, work))
    return tuple(found)


def _comparison(case: CaseDecision, rules: Rules, work: InstructionChange | None) -> verdicts.Comparison:
    samples, scale = case.samples, case.scale
    stage_samples = samples.at(case.stage) or samples.at("screening")
    statistics = {one.statistic for one in stage_samples}
    baseline = _summarise([(one, one.baseline) for one in stage_samples], scale)
    contender = _summarise([(one, one.contender) for one in stage_samples], scale)
    if case.within_levels:
        baseline, contender = _at_equal_shares(baseline, contender, case.mean)
    return verdicts.Comparison(
        **{name: getattr(samples, name) for name in PairedSamples.__struct_fields__},
        baseline=baseline,
        contender=contender,
        statistic=statistics.pop() if len(statistics) == 1 else "",
        relative_change=to_relative_change(case.mean, scale) if case.count else None,
        interval=_interval(case),
        confidence=1 - case.alpha * len(rules.of(case.stage).analyses(case.threshold)),
        verdict=case.verdict,
        significant=case.significant,
        smallest_detectable=to_relative_change(case.detectable, scale),
        rounds_needed=_rounds_needed(case, rules) if case.verdict in verdicts.UNDECIDED else None,
        stopped_by=_stopped_by(case, rules) if case.verdict in verdicts.UNDECIDED else "",
        instructions=work,
        notes=tuple(_notes(case, work)),
    )


def _interval(case: CaseDecision) -> Interval | None:
    lower, upper = to_relative_change(case.lower, case.scale), to_relative_change(case.upper, case.scale)
    if lower is None or upper is None or not np.isfinite(case.lower):
        return None
    return Interval(low=lower, high=upper)


def _rounds_needed(case: CaseDecision, rules: Rules) -> int | None:
    if case.suspected_direction and not case.tested:
        return rules.confirmation.interim_analyses[0]
    if case.count < 2:
        following = next_analysis(rules.of(case.stage).analyses(case.threshold), case.count)
        return following - case.count if following else None
    return max(1, int(case.decided_after) - case.count) if np.isfinite(case.decided_after) else None


def _stopped_by(case: CaseDecision, rules: Rules) -> verdicts.StoppedBy:
    if case.suspected_direction and not case.tested:
        return "time"
    stage = rules.of(case.stage)
    over = (case.finished and not stage.timed) or case.count >= stage.analyses(case.threshold)[-1]
    return "noise" if over else "time"


def _notes(case: CaseDecision, work: InstructionChange | None) -> Iterator[str]:
    """Yield the notes that a reader of the numbers needs."""
    unproven_suspect = case.suspected_direction != 0 and not case.significant
    for note, holds in (
        (ZERO_BASELINE, case.scale == "span" and case.mean != 0),
        (NOT_POSITIVE, case.scale == "share"),
        (verdicts.NOT_REPEATED, unproven_suspect and not case.tested),
        (NOT_CONFIRMED, unproven_suspect and case.tested and not case.discarded),
        (DISCARDED, unproven_suspect and case.tested and case.discarded),
        (SMALL, case.significant and case.inside),
    ):
        if holds:
            yield note
    if case.level_distance:
        yield _describe_levels(case, same_work=work is not None and work.work == "same")


def _describe_levels(case: CaseDecision, *, same_work: bool) -> str:
    """Return how far the levels are apart, how many processes were on the upper one, and what was compared.

    If both commits do the *same_work*, the levels do not come from the code.
    """
    distance = to_relative_change(case.level_distance, case.scale)
    apart = "far" if distance is None else numbers.share(float(f"{distance:.2g}"))
    name = "slower" if case.samples.kind == "time" else "upper"
    base, head = (f"{count} of {case.count}" for count in case.on_upper)
    compared = "compared within each level" if case.within_levels else "the share of the levels changed"
    seems, code = ("has", "; instructions are equal, so the code is alike") if same_work else ("seems to have", "")
    levels = f"two levels, {apart} apart ({name}: {base} processes of base, {head} of head)"
    return f"{seems} {levels}; {compared}{code}"


def _summarise(parts: Sequence[tuple[StageSamples, ProcessValues]], scale: DifferenceScale) -> verdicts.ArmSummary:
    """Return the summary of one arm over all samples of a stage; processes of incomplete rounds are left out."""
    values = np.array([value for one, arm in parts for value in arm.values[: one.rounds]], dtype=float)
    ratio = scale == "ratio"
    return verdicts.ArmSummary(
        value=float(np.exp(np.log(values).mean())) if ratio else float((values / values.size).sum()),
        interval=_mean_interval(values, ratio=ratio),
        processes=values.size,
        median=_median([value for one, arm in parts for value in arm.medians[: one.rounds]]),
        p95=_median([value for one, arm in parts for value in arm.p95s[: one.rounds]]),
    )


def _at_equal_shares(
    baseline: verdicts.ArmSummary, contender: verdicts.ArmSummary, mean: float
) -> tuple[verdicts.ArmSummary, verdicts.ArmSummary]:
    """Return both arms as if their processes were equally often on each level, so that they differ by *mean*.

    These are the adjusted means of an analysis of covariance (Cochran 1957, as in `windtunnel.compare.effects`).
    """
    half = (math.log(contender.value / baseline.value) - mean) / 2
    return _scaled(baseline, math.exp(half)), _scaled(contender, math.exp(-half))


def _scaled(arm: verdicts.ArmSummary, factor: float) -> verdicts.ArmSummary:
    ends = arm.interval and Interval(low=arm.interval.low * factor, high=arm.interval.high * factor)
    return msgspec.structs.replace(arm, value=arm.value * factor, interval=ends)


def _mean_interval(values: Floats, *, ratio: bool) -> Interval | None:
    """Return Student's interval of the mean, of the geometric one for a *ratio*; None if it is infinite."""
    if values.size < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        terms = np.log(values) if ratio else values
        half = upper_quantile((1 - ARM_CONFIDENCE) / 2, terms.size - 1) * terms.std(ddof=1) / np.sqrt(terms.size)
        ends = np.array([terms.mean() - half, terms.mean() + half])
        low, high = np.exp(ends) if ratio else ends
    return Interval(low=float(low), high=float(high)) if np.isfinite([low, high]).all() else None


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None


def decide(context: verdicts.ReportContext, samples: Sequence[PairedSamples]) -> verdicts.ComparisonReport:
    """Decide *samples* by the rules of *context*; those without a single round become failures with a reason."""
    ordered = sorted(samples, key=lambda one: one.identity)
    measured = [one for one in ordered if one.rounds("screening")]
    context = msgspec.structs.replace(context, control_change=find_control_change(context.reach, measured))
    unmeasured = tuple(verdicts.NotCompared.of(one, NO_ROUND) for one in ordered if not one.rounds("screening"))
    context = msgspec.structs.replace(context, failed=context.failed + unmeasured)
    screening = compute_effects(measured, "screening")
    decisions = decide_cases(screening, compute_effects(measured, "confirmation"), context.rules)
    comparisons = case_results(measured, decisions, context.rules, discarded=context.control_change is not None)
    missing = len(context.failed) + len(context.skipped) + len(context.incomparable)
    return verdicts.ComparisonReport(
        **{name: getattr(context, name) for name in verdicts.ReportContext.__struct_fields__},
        overall=_overall(context, comparisons),
        common_change=find_common_change(screening.estimates.mean[_are_time_ratios(measured)]),
        coverage=verdicts.ComparisonCoverage(planned=len(comparisons) + missing, compared=len(comparisons)),
        comparisons=comparisons,
    )


def count_false_alarms(samples: Sequence[PairedSamples], rules: Rules) -> verdicts.FalseAlarms:
    """Return how many of *samples*, whose arms both run base, raise an alarm.

    They pass through the same stages as the comparison. Where another job confirms, it gets the suspects.
    """
    found = decide(verdicts.ReportContext(base="", head="", rules=rules), samples)
    return verdicts.FalseAlarms(
        comparisons=len(found.comparisons),
        alarms=len(found.changed),
        suspects=find_suspects([one.samples() for one in found.comparisons], rules),
    )


def find_control_change(reach: verdicts.Reach | None, samples: Sequence[PairedSamples]) -> float | None:
    """Return the change that the control of *reach* shows as a whole in the rounds of confirmation; None without one.

    Its cases run nothing that changed, and those of a round share its parents and its time, so the unit is the round.
    """
    guard = {one.identity for one in reach.guard} if reach else set()
    control = [one for one in samples if one.identity in guard and one.at("confirmation")]
    control = [one for one in control if one.kind == "time" and find_scale(one) == "ratio"]
    if len(control) < MIN_CONTROL_CASES:
        return None
    rounds = compute_effects(control, "confirmation").estimates.rows
    together = estimate(rounds[:, ~np.isnan(rounds).any(axis=0)].mean(axis=0, keepdims=True), MIN_SPREAD)
    lower, upper = (float(end[0]) for end in interval(together, np.array([CONTROL_ERROR])))
    moved = lower > 0 or upper < 0
    change = math.expm1(float(together.mean[0])) if moved else 0.0
    return change if abs(change) >= MIN_COMMON_CHANGE else None


def _are_time_ratios(samples: Sequence[PairedSamples]) -> Flags:
    timed = [one.kind == "time" and find_scale(one) == "ratio" for one in samples]
    return np.array(timed, dtype=bool)


def find_common_change(logarithms: Floats) -> verdicts.CommonChange | None:
    """Return the median change if MIN_COMMON_SHARE of the *logarithms* of ratios lie within half of it."""
    if logarithms.size < MIN_COMMON_CASES:
        return None
    centre = float(np.median(logarithms))
    near = np.abs(logarithms - centre) <= abs(centre) / 2
    if abs(centre) < math.log1p(MIN_COMMON_CHANGE) or near.mean() < MIN_COMMON_SHARE:
        return None
    return verdicts.CommonChange(relative_change=math.expm1(centre), cases=int(near.sum()))


def _overall(context: verdicts.ReportContext, comparisons: Sequence[verdicts.Comparison]) -> verdicts.Overall:
    """Return the result of the whole comparison: a regression outweighs everything else."""
    if context.same_artifact:
        return "same_artifact"
    counts = Counter(one.verdict for one in comparisons)
    if not counts:
        return "nothing_measured"
    if counts["regressed"]:
        return "regressed"
    if counts["improved"]:
        return "improved"
    if context.control_change is not None or counts["inconclusive"] > MAX_UNDECIDED_SHARE * len(comparisons):
        return "inconclusive"
    undecided = sum(counts[each] for each in verdicts.UNDECIDED)
    return "undecided" if undecided > MAX_UNDECIDED_SHARE * len(comparisons) else "unchanged"
