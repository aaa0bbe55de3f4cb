"""The names and figures of one case as a reader sees them; foreign text is not escaped.

Join time and instructions of a case in one sentence. The verdict is on time alone; instructions help to explain it.

Instructions do not show why a processor takes longer for the same work: another memory layout, fuller caches, system
calls, waiting. A sentence therefore names these where the work did not change, or changed too little to explain the
time.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from windtunnel.compare.format import NOT_REPEATED, UNDECIDED, Comparison, ComparisonReport, NotCompared, StoppedBy
from windtunnel.compare.samples_format import InstructionChange
from windtunnel.model.benchmark import CaseIdentity, Identity
from windtunnel.model.identity import case_name
from windtunnel.text import numbers
from windtunnel.text.escaping import common_parts

EXACT = "exact"
"""Stands for the interval where every process of a commit gave the same value."""

MEASURES = {"cpu_minimum": "CPU time", "wall_minimum": "wall time"}

STATISTICS = {
    "cpu_minimum": (
        "CPU time is that of the fastest run in each process, averaged over the processes. It leaves out waiting, and "
        "other programs disturb it least."
    ),
    "wall_minimum": (
        "Wall time is that of the fastest run in each process, averaged over the processes. It includes waiting."
    ),
}
"""What the values of each statistic are."""

MAX_REPORTED = 30
"""The cases up to which each result is reported when it is decided; of more, only changes and suspects are."""

STOPS: Mapping[StoppedBy, str] = {"noise": "too much noise", "time": "too little time"}
"""What kept a case from a decision."""

SUITE_CHANGES = {"new": "new benchmark", "changed": "changed benchmark"}
"""How head changed the benchmark."""


def case_label(one: CaseIdentity) -> str:
    """Return benchmark and parameters, not escaped."""
    return case_name(one.benchmark, one.params)


def format_measure(one: Comparison) -> str:
    """Return what the values of *one* are, such as ``CPU time``; empty if unknown or if the unit states it."""
    if one.kind != "time":
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
    timed = one.kind == "time"
    match one.verdict:
        case "regressed":
            return "slower" if timed else "worse"
        case "improved":
            return "faster" if timed else "better"
        case _:
            return one.verdict


def format_progress(one: Comparison) -> str:
    """Return the result of *one* while others are measured: a suspect is measured again."""
    return "suspected" if NOT_REPEATED in one.notes else format_direction(one)


def format_result(one: Comparison) -> str:
    """Return *one* in a line while others are measured; its name is not escaped."""
    return f"{format_progress(one)}: {case_label(one)} {format_change(one)} ({format_interval(one) or 'unknown'})"


def report_decided(
    comparisons: Sequence[Comparison], further: Collection[Identity], reported: dict[Identity, Comparison]
) -> Iterator[str]:
    """Yield a line for each suspect and each case that is decided now, and add it to *reported*; then their counts.

    Cases of *further* are still measured.
    """
    new = 0
    for one in comparisons:
        suspected = NOT_REPEATED in one.notes
        over = suspected or (one.identity not in further and one.stopped_by != "time")
        earlier = reported.get(one.identity)
        if over and (earlier is None or suspected < (NOT_REPEATED in earlier.notes)):
            reported[one.identity], new = one, new + 1
            if suspected or one.verdict in {"regressed", "improved"} or len(comparisons) <= MAX_REPORTED:
                yield f"  {format_result(one)}"
    if new:
        counts = Counter(map(format_progress, reported.values()))
        shown = ", ".join(f"{number} {word}" for word, number in counts.items())
        yield f"{shown}, of {numbers.count(len(comparisons), 'case')}"


def join_directions(comparisons: Sequence[Comparison]) -> str:
    """Return the words for all of *comparisons*, such as ``slower or worse``."""
    return " or ".join(sorted({format_direction(one) for one in comparisons}))


def format_quantity(value: float, unit: str) -> str:
    """Return *value*; without a unit if the unit is not a known one."""
    return numbers.quantity(value, None, unit if unit in numbers.SCALES else "unit").value


def foreign_unit(unit: str) -> str:
    """Return *unit* if it is foreign text, else an empty string."""
    return "" if unit in {*numbers.SCALES, "unit"} else unit


def format_bound(comparisons: Sequence[Comparison]) -> str:
    """Return the smallest change for the worse that all of the undecided *comparisons* exclude."""
    bounds = [one.bound for one in comparisons if one.bound is not None]
    return numbers.relative_change(max(bounds, key=abs), None).value if bounds else ""


def format_stop(one: Comparison, report: ComparisonReport) -> str:
    """Return what kept *one* from a decision, and what would decide it; empty if it is decided."""
    if not one.stopped_by:
        return ""
    stopped = "not measured again" if NOT_REPEATED in one.notes else STOPS[one.stopped_by]
    if is_same_work([one]) and NOT_REPEATED not in one.notes:
        return "timed no further, because its work is the same"
    if one.rounds_needed is None:
        return stopped
    return f"{stopped}, needs {format_rounds(one.rounds_needed, one.rounds_needed, report)}"


def format_rounds(rounds: int, total: int, report: ComparisonReport) -> str:
    """Return *rounds* in words, and how long *total* rounds of a case take at the mean of this comparison."""
    seconds = seconds_of(total, report)
    return f"{numbers.count(rounds, 'more round')}{f' (about {numbers.duration(seconds)})' if seconds >= 1 else ''}"


def seconds_of(rounds: int, report: ComparisonReport) -> float:
    """Return how long *rounds* of a case take, at the mean of the processes of *report*; 0 if it is unknown."""
    return 2 * rounds * report.budget.process_seconds / max(report.budget.processes, 1)


def format_reason(one: NotCompared, number: int = 1) -> str:
    """Return on which commits *one*, or *number* cases, gave no value, and why, not escaped; empty if unknown."""
    where = "on both commits" if len(one.on) > 1 else f"on {one.on[0]} only" if one.on else ""
    where = f"{number} cases {where}".rstrip() if number > 1 else where
    return ": ".join(part for part in (where, one.reason) if part)


def group_missing(cases: Sequence[NotCompared]) -> Iterator[tuple[str, int, NotCompared]]:
    """Yield a name for cases that have one reason, their number, and the first of them; names are not escaped.

    The name has ``*`` for the words in which those of several cases differ. A case without a reason stands alone.
    """
    groups: dict[object, list[NotCompared]] = {}
    for one in cases:
        groups.setdefault((one.environment, one.on, one.reason) if one.reason else one.identity, []).append(one)
    for group in groups.values():
        labels = [*dict.fromkeys(map(case_label, group))]
        start, end = common_parts(labels)
        start, end = re.sub("[a-zA-Z0-9]+$", "", start), re.sub("^[a-zA-Z0-9]+", "", end)
        name = labels[0] if len(labels) == 1 else f"{start}*{end}" if start or end else f"{labels[0]} and others"
        yield name, len(group), group[0]


def format_commit(commit: str) -> str:
    """Return the first 10 characters of a full hash; any other name as it is."""
    return commit[:10] if len(commit) >= 40 and commit.isalnum() else commit


def suspects(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return the cases whose suspected change was not measured again."""
    return tuple(one for one in report.having(*UNDECIDED) if NOT_REPEATED in one.notes)


def format_share(value: float) -> str:
    """Return a share in two digits."""
    return numbers.share(float(f"{value:.2g}"))


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


OTHER_CAUSES = "memory layout, caches or the system"
"""What makes the same instructions take longer."""

MIN_EXPLAINED = 0.25
"""Instructions explain a change of time if theirs is at least this share of it, on a logarithmic scale.

Instructions per second differ between kinds of work, so both changes are rarely equal.
"""

MAX_REASONS = 3
"""Reasons that a report names for cases without counts."""

NO_CHANGE = "0.0 %"

EXPECTED = {"regressed": "more", "improved": "less"}
"""The change of the work that explains a change in time."""

NOT_CHANGED = {"more": "not slower", "less": "not faster"}


def join_witnesses(one: Comparison, shown: Callable[[str], str]) -> str:
    """Return what time and instructions of *one* show together; empty if its instructions were not counted.

    *shown* escapes the reason why more is not known, which is foreign text.
    """
    found = one.instructions
    if found is None or found.relative_change is None:
        return ""
    figure = f"instructions {format_instructions(found)}"
    if found.work == "unknown":
        reason = f": {shown(found.reason)}" if found.reason else ""
        return f"{figure}, which is too uncertain to explain the time{reason}"
    most = numbers.relative_change(one.instructions_threshold, None).value
    allowed = f"; at most {most} is allowed" if found.regressed else ""
    return f"{_joined(one, found, figure)}{allowed}"


def _joined(one: Comparison, found: InstructionChange, figure: str) -> str:
    work, direction = f"{found.work} work", format_direction(one)
    match one.verdict:
        case "unchanged":
            unlike = f", but {NOT_CHANGED[found.work]}" if found.work in NOT_CHANGED else ""
            return f"{work}{unlike}: {figure}"
        case "undecided" | "inconclusive":
            return f"{work}: {figure}; the time is {one.verdict}"
        case _ if found.work is not EXPECTED[one.verdict]:
            return f"{work}, but {direction}: {figure}; {OTHER_CAUSES}"
        case _ if not explains(found.relative_change or 0.0, one.relative_change):
            return f"hardly {work}: {figure}; mostly {OTHER_CAUSES}"
        case _:
            return f"{work}: {figure}"


def explains(work: float, time: float | None) -> bool:
    """Return whether a change of instructions explains that of *time*; any does if that is not known."""
    if time is None:
        return True
    if min(work, time) <= -1:
        return False
    works, times = math.log1p(work), math.log1p(time)
    return works * times > 0 and abs(works) >= MIN_EXPLAINED * abs(times)


def format_instructions(found: InstructionChange) -> str:
    """Return the change of instructions in two digits; ``unknown`` without counts."""
    if found.relative_change is None:
        return "unknown"
    shown = numbers.relative_change(found.relative_change, None).value
    return NO_CHANGE if shown == "0 %" else shown


def format_instructions_interval(found: InstructionChange) -> str:
    """Return the interval of that change; empty if it is unknown, or too narrow to be seen."""
    if found.relative_change is None or found.interval is None:
        return ""
    ends = found.interval.low, found.interval.high
    shown = numbers.relative_change(found.relative_change, ends).interval or ""
    low, _, high = shown.removesuffix(" %").partition(" to ")
    return "" if low == high else shown


def is_same_work(comparisons: Sequence[Comparison]) -> bool:
    """Return whether there are *comparisons*, and the work of none of them changed."""
    return bool(comparisons) and all(one.instructions and one.instructions.work == "same" for one in comparisons)


def having_only_other_work(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return the cases whose work changed, but not their time, the largest change first."""
    found = [
        (abs(one.instructions.relative_change), one)
        for one in report.having("unchanged")
        if one.instructions and one.instructions.work in NOT_CHANGED and one.instructions.relative_change is not None
    ]
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0], reverse=True))


def explain_uncounted(report: ComparisonReport) -> Iterator[str]:
    """Yield how many cases were not counted and why, the most frequent reason first; reasons are foreign text."""
    reasons = Counter(
        one.instructions.reason
        for one in report.comparisons
        if one.instructions and one.instructions.relative_change is None
    )
    for reason, number in reasons.most_common(MAX_REASONS):
        yield f"Instructions of {numbers.count(number, 'case')} were not counted: {reason}"
    if left := sum(reasons.values()) - sum(number for _, number in reasons.most_common(MAX_REASONS)):
        yield f"Instructions of {numbers.count(left, 'more case')} were not counted for other reasons"
