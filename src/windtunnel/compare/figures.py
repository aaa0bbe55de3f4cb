"""The names and figures of one case as a reader sees them; foreign text is not escaped."""

from collections.abc import Sequence

from windtunnel.compare.format import ArmSummary, Comparison, ComparisonReport, NotCompared, Verdict
from windtunnel.compare.samples_format import ProcessStatistic, SuiteChange
from windtunnel.model.identity import case_name
from windtunnel.model.measure import CaseIdentity, MeasureKind
from windtunnel.text import numbers

MOST = 0.9
"""The share of the cases that "most" stands for."""

EXACT = "exact"
"""Stands for the interval where every process of a commit gave the same value."""

MEASURES = {
    ProcessStatistic.CPU_MINIMUM: "CPU time",
    ProcessStatistic.WALL_MINIMUM: "wall time",
}

STATISTICS = {
    ProcessStatistic.CPU_MINIMUM: (
        "CPU time is that of the fastest run in each process, averaged over the processes. It leaves out waiting, and "
        "other programs disturb it least."
    ),
    ProcessStatistic.WALL_MINIMUM: (
        "Wall time is that of the fastest run in each process, averaged over the processes. It includes waiting."
    ),
}
"""What the values of each statistic are."""

SUITE_CHANGES = {
    SuiteChange.NEW: "new benchmark",
    SuiteChange.CHANGED: "changed benchmark",
}
"""How head changed the benchmark."""


def case_label(one: CaseIdentity) -> str:
    """Return benchmark and parameters, not escaped."""
    return case_name(one.benchmark, one.params)


def format_measure(one: Comparison) -> str:
    """Return what the values of *one* are, such as ``CPU time``; empty if unknown or if the unit states it."""
    if one.kind is not MeasureKind.TIME:
        return "memory" if one.unit == "bytes" else ""
    return MEASURES.get(one.statistic, "")


def format_change(one: Comparison) -> str:
    """Return the relative change."""
    if one.relative_change is None:
        return "from zero" if one.baseline.value == 0 else "unknown"
    return numbers.relative_change(one.relative_change, _limits(one)).value


def format_interval(one: Comparison) -> str:
    """Return the interval of the relative change, EXACT if it is a single value; empty if it is unknown."""
    if one.relative_change is None or one.interval is None:
        return ""
    if one.interval.low == one.interval.high:
        return EXACT
    return numbers.relative_change(one.relative_change, _limits(one)).interval or ""


def format_size(one: Comparison) -> str:
    """Return the relative change in two digits, for a headline."""
    if one.relative_change is None:
        return format_change(one)
    return numbers.relative_change(one.relative_change, None).value


def _limits(one: Comparison) -> tuple[float, float] | None:
    known = one.interval is not None and one.interval.low < one.interval.high
    return (one.interval.low, one.interval.high) if known and one.interval else None


def format_direction(one: Comparison) -> str:
    """Return how *one* changed, in a word that fits its measure."""
    timed = one.kind is MeasureKind.TIME
    match one.verdict:
        case Verdict.REGRESSED:
            return "slower" if timed else "worse"
        case Verdict.IMPROVED:
            return "faster" if timed else "better"
        case _:
            return one.verdict.value


def join_directions(comparisons: Sequence[Comparison]) -> str:
    """Return the words for all of *comparisons*, such as ``slower or worse``."""
    return " or ".join(sorted({format_direction(one) for one in comparisons}))


def format_value(arm: ArmSummary, unit: str) -> str:
    """Return the value of *arm*; without a unit if the unit is not a known one."""
    return format_quantity(arm.value, unit)


def format_quantity(value: float, unit: str) -> str:
    """Return *value*; without a unit if the unit is not a known one."""
    return numbers.quantity(value, None, unit if unit in numbers.SCALES else "unit").value


def foreign_unit(unit: str) -> str:
    """Return *unit* if it is foreign text, else an empty string."""
    return "" if unit in {*numbers.SCALES, "unit"} else unit


def format_reason(one: NotCompared) -> str:
    """Return on which commits *one* gave no value, and why, not escaped; empty if unknown."""
    where = f"on {' and '.join(one.on)}{' only' if len(one.on) == 1 else ''}" if one.on else ""
    return ": ".join(part for part in (where, one.reason) if part)


def format_commit(commit: str) -> str:
    """Return the first 10 characters of a full hash; any other name as it is."""
    return commit[:10] if len(commit) >= 40 and commit.isalnum() else commit


def format_detectable(report: ComparisonReport) -> str:
    """Return the change that would show in most unchanged cases; empty if unknown."""
    sizes = [one.smallest_detectable for one in report.having(Verdict.UNCHANGED)]
    known = [size for size in sizes if size is not None]
    return format_share(most(known)) if known else ""


def format_share(value: float) -> str:
    """Return a share in two digits."""
    return numbers.share(float(f"{value:.2g}"))


def most(values: Sequence[float]) -> float:
    """Return the quantile MOST of one value or more by linear interpolation; jobs that comment have no numpy."""
    ordered = sorted(values)
    place = MOST * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def format_confidence(comparisons: Sequence[Comparison]) -> str:
    """Return the smallest confidence of the intervals of *comparisons*, such as ``at least 98 %``."""
    known = [one.confidence for one in comparisons if one.interval is not None]
    if not known:
        return ""
    least, most = numbers.share(min(known)), numbers.share(max(known))
    return least if least == most else f"at least {least}"


def by_size(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the largest change first; a change from zero precedes all others."""
    return tuple(sorted(comparisons, key=_size, reverse=True))


def _size(one: Comparison) -> float:
    if one.relative_change is None:
        return float("inf")
    factor = abs(1 + one.relative_change)
    return max(factor, 1 / factor) if factor else float("inf")
