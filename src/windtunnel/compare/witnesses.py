"""Join time and instructions of a case in one sentence. The verdict is on time alone; instructions help to explain it.

Instructions do not show why a processor takes longer for the same work: another memory layout, fuller caches, system
calls, waiting. A sentence therefore names these where the work did not change, or changed too little to explain the
time.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.compare.figures import format_direction
from windtunnel.compare.format import Comparison, ComparisonReport, Verdict
from windtunnel.compare.work_format import InstructionChange, WorkChange
from windtunnel.text import numbers

OTHER_CAUSES = "memory layout, caches or the system"
"""What makes the same instructions take longer."""

MIN_EXPLAINED = 0.25
"""The share of a change in time below which a change in instructions does not explain it (both as logarithms)."""

MAX_REASONS = 3
"""Reasons that a report names for cases without counts."""

NO_CHANGE = "0.0 %"

EXPECTED = {Verdict.REGRESSED: WorkChange.MORE, Verdict.IMPROVED: WorkChange.LESS}
"""The change of the work that explains a change in time."""

NOT_CHANGED = {WorkChange.MORE: "not slower", WorkChange.LESS: "not faster"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSentence:
    """What time and instructions show together."""

    text: str
    """Words and numbers only."""
    reason: str = ""
    """Why more is not known; foreign text."""


def join_witnesses(one: Comparison) -> JointSentence | None:
    """Return what time and instructions of *one* show together; None if its instructions were not counted."""
    found = one.instructions
    if found is None or found.relative_change is None:
        return None
    figure = f"instructions {format_instructions(found)}"
    if found.work is WorkChange.UNKNOWN:
        return JointSentence(text=f"{figure}, which is too uncertain to explain the time", reason=found.reason)
    allowed = f"; at most {format_allowed(one)} is allowed" if found.regressed else ""
    return JointSentence(text=f"{_joined(one, found, figure)}{allowed}")


def _joined(one: Comparison, found: InstructionChange, figure: str) -> str:
    work, direction = f"{found.work} work", format_direction(one)
    match one.verdict:
        case Verdict.UNCHANGED:
            unlike = f", but {NOT_CHANGED[found.work]}" if found.work in NOT_CHANGED else ""
            return f"{work}{unlike}: {figure}"
        case Verdict.INCONCLUSIVE:
            return f"{work}: {figure}; the time is inconclusive"
        case _ if found.work is not EXPECTED[one.verdict]:
            return f"{work}, but {direction}: {figure}; {OTHER_CAUSES}"
        case _ if not _explains(one, found):
            return f"hardly {work}: {figure}; mostly {OTHER_CAUSES}"
        case _:
            return f"{work}: {figure}"


def _explains(one: Comparison, found: InstructionChange) -> bool:
    """Return whether the change of instructions is large enough to explain that of time, whose sign it shares."""
    time, work = one.relative_change, found.relative_change
    if time is None or work is None or min(time, work) <= -1:
        return True
    return abs(math.log1p(work)) >= MIN_EXPLAINED * abs(math.log1p(time))


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


def format_allowed(one: Comparison) -> str:
    """Return the increase of instructions that the settings allow for *one*."""
    return numbers.relative_change(one.instructions_threshold, None).value


def is_same_work(comparisons: Sequence[Comparison]) -> bool:
    """Return whether there are *comparisons*, and the work of none of them changed."""
    return bool(comparisons) and all(
        one.instructions and one.instructions.work is WorkChange.SAME for one in comparisons
    )


def having_only_other_work(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return the cases whose work changed, but not their time, the largest change first."""
    found = [
        (abs(one.instructions.relative_change), one)
        for one in report.having(Verdict.UNCHANGED)
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
