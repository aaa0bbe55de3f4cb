"""Decide a comparison as a whole, because the error rate belongs to the whole; and the A/A arm."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from windtunnel.compare.case_result import cases, comparison
from windtunnel.compare.decision import decide_cases
from windtunnel.compare.effects import DifferenceScale, Effects, effects, find_scale
from windtunnel.compare.format import (
    CommonChange,
    Comparison,
    ComparisonContext,
    ComparisonCoverage,
    ComparisonReport,
    FalseAlarms,
    NotCompared,
    Overall,
    Rules,
    Verdict,
)
from windtunnel.compare.unpaired import apart, find_common_change, is_unpaired
from windtunnel.model.measure import MeasureKind, PairedSamples, Stage

NOTHING = "no round has a value on both sides"

MOST_OPEN = 0.1
"""Share of inconclusive cases up to which the head is called unchanged; the headline still counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Screening:
    """The effects of screening, and the factor that nearly all cases share."""

    effects: Effects
    common: CommonChange | None


def decide(context: ComparisonContext, samples: Sequence[PairedSamples]) -> ComparisonReport:
    """Judge *trials* by the rules of *context*; those without a single round become failures with a reason."""
    ordered = sorted(samples, key=lambda one: one.identity)
    measured = [one for one in ordered if _screened(one)]
    context = replace(context, failed=context.failed + tuple(_unmeasured(one) for one in ordered if not _screened(one)))
    screening = _screening(measured)
    decisions = decide_cases(screening.effects, effects(measured, Stage.CONFIRMATION), context.rules)
    comparisons = tuple(comparison(case, context.rules) for case in cases(measured, decisions, context.rules))
    missing = context.failed + context.skipped + context.incomparable
    return ComparisonReport(
        **{field.name: getattr(context, field.name) for field in fields(context)},
        overall=_overall(context, comparisons),
        common_change=screening.common,
        coverage=ComparisonCoverage(planned=len(comparisons) + len(missing), compared=len(comparisons)),
        comparisons=comparisons,
    )


def _screened(paired: PairedSamples) -> bool:
    return any(one.rounds for one in paired.at(Stage.SCREENING))


def _unmeasured(paired: PairedSamples) -> NotCompared:
    return NotCompared(benchmark=paired.benchmark, params=paired.params, environment=paired.environment, reason=NOTHING)


def _screening(samples: Sequence[PairedSamples]) -> _Screening:
    """Return the effects of screening; those of sides measured apart are freed of their common factor."""
    found = effects(samples, Stage.SCREENING)
    if any(is_unpaired(one) for one in samples):
        separate = apart(samples)
        return _Screening(effects=replace(found, estimates=separate.estimates), common=separate.common)
    timed = np.array(
        [one.kind is MeasureKind.TIME and find_scale(one) is DifferenceScale.RATIO for one in samples], dtype=bool
    )
    return _Screening(effects=found, common=find_common_change(found.estimates.mean[timed]))


def _overall(context: ComparisonContext, comparisons: Sequence[Comparison]) -> Overall:
    """Return the verdict of the head: the worst news first."""
    if context.same_artifact:
        return Overall.SAME_ARTIFACT
    counts = Counter(one.verdict for one in comparisons)
    if not counts:
        return Overall.NOTHING_MEASURED
    if counts[Verdict.REGRESSED]:
        return Overall.REGRESSED
    if counts[Verdict.IMPROVED]:
        return Overall.IMPROVED
    open_share = counts[Verdict.INCONCLUSIVE] / len(comparisons)
    return Overall.INCONCLUSIVE if open_share > MOST_OPEN else Overall.UNCHANGED


def false_alarms(samples: Sequence[PairedSamples], rules: Rules) -> FalseAlarms:
    """Return how many of *trials*, both sides of which are the same code, would have raised an alarm.

    They go through the same steps as the comparison itself: without a confirmation of their own none could alarm.
    """
    found = decide(ComparisonContext(base="", head="", rules=rules), samples)
    alarms = len(found.having(Verdict.REGRESSED)) + len(found.having(Verdict.IMPROVED))
    return FalseAlarms(comparisons=len(found.comparisons), alarms=alarms)
