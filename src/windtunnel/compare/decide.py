"""Decide a whole comparison: the error rate applies to all its cases together."""

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from windtunnel.compare.case_result import case_results
from windtunnel.compare.decision import decide_cases
from windtunnel.compare.effects import DifferenceScale, Effects, compute_effects, find_scale
from windtunnel.compare.format import (
    CommonChange,
    Comparison,
    ComparisonCoverage,
    ComparisonReport,
    FalseAlarms,
    NotCompared,
    Overall,
    PairedSamples,
    ReportContext,
    Rules,
    Verdict,
)
from windtunnel.compare.unpaired import estimate_unpaired, find_common_change, is_unpaired
from windtunnel.model.measure import MeasureKind
from windtunnel.model.schedule import Stage

NO_ROUND = "no round has a value on both commits"

MAX_INCONCLUSIVE_SHARE = 0.1
"""The share of inconclusive cases up to which the head counts as unchanged; the headline still counts them."""


def decide(context: ReportContext, samples: Sequence[PairedSamples]) -> ComparisonReport:
    """Decide *samples* by the rules of *context*; those without a single round become failures with a reason."""
    ordered = sorted(samples, key=lambda one: one.identity)
    measured = [one for one in ordered if one.rounds(Stage.SCREENING)]
    unmeasured = tuple(NotCompared.of(one, NO_ROUND) for one in ordered if not one.rounds(Stage.SCREENING))
    context = msgspec.structs.replace(context, failed=context.failed + unmeasured)
    screening, common_change = _screening(measured)
    decisions = decide_cases(screening, compute_effects(measured, Stage.CONFIRMATION), context.rules)
    comparisons = case_results(measured, decisions, context.rules)
    missing = len(context.failed) + len(context.skipped) + len(context.incomparable)
    return ComparisonReport(
        **{name: getattr(context, name) for name in ReportContext.__struct_fields__},
        overall=_overall(context, comparisons),
        common_change=common_change,
        coverage=ComparisonCoverage(planned=len(comparisons) + missing, compared=len(comparisons)),
        comparisons=comparisons,
    )


def count_false_alarms(samples: Sequence[PairedSamples], rules: Rules) -> FalseAlarms:
    """Return how many of *samples*, whose arms both run base, raise an alarm.

    They pass through the same stages as the comparison: without a confirmation of their own none could alarm.
    """
    found = decide(ReportContext(base="", head="", rules=rules), samples)
    alarms = len(found.having(Verdict.REGRESSED)) + len(found.having(Verdict.IMPROVED))
    return FalseAlarms(comparisons=len(found.comparisons), alarms=alarms)


def _screening(samples: Sequence[PairedSamples]) -> tuple[Effects, CommonChange | None]:
    """Return the effects of screening and the common change; it is divided out of commits measured separately."""
    effects = compute_effects(samples, Stage.SCREENING)
    if any(is_unpaired(one) for one in samples):
        estimates, common_change = estimate_unpaired(samples)
        return Effects(estimates=estimates, thresholds=effects.thresholds), common_change
    timed = [one.kind is MeasureKind.TIME and find_scale(one) is DifferenceScale.RATIO for one in samples]
    return effects, find_common_change(effects.estimates.mean[np.array(timed, dtype=bool)])


def _overall(context: ReportContext, comparisons: Sequence[Comparison]) -> Overall:
    """Return the result of the whole comparison: a regression outweighs everything else."""
    if context.same_artifact:
        return Overall.SAME_ARTIFACT
    counts = Counter(one.verdict for one in comparisons)
    if not counts:
        return Overall.NOTHING_MEASURED
    if counts[Verdict.REGRESSED]:
        return Overall.REGRESSED
    if counts[Verdict.IMPROVED]:
        return Overall.IMPROVED
    inconclusive = counts[Verdict.INCONCLUSIVE] / len(comparisons)
    return Overall.INCONCLUSIVE if inconclusive > MAX_INCONCLUSIVE_SHARE else Overall.UNCHANGED
