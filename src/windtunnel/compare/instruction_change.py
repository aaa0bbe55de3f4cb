"""Decide by counts of instructions whether the code of a case does more work. The verdict on time does not use it.

With one hash seed, a count repeats almost to the last instruction. Another seed orders sets and dictionaries
differently, so the spread over seeds is the noise. Base and head have the same seeds, so the ratio is taken for each
seed; Student's interval of its logarithm has the confidence `CONFIDENCE`.

- The interval excludes zero and reaches beyond `SAME_WORK`: more, or less.
- It lies within ± `SAME_WORK`: the same.
- Otherwise it is unknown.

The spread over seeds does not show one thing: objects at other addresses change counts by less than `SAME_WORK`, also
where head does the same work. That is why a smaller change is never called more work.

The gate is for a suite that sets ``instructions-threshold``. A case fails it where the whole interval lies above its
threshold, at the error rate `GATE_ERROR` for all gated cases together (Bonferroni).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.compare.samples_format import PairedSamples
from windtunnel.compare.work_format import InstructionChange, WorkChange, WorkSamples
from windtunnel.model.result import Interval
from windtunnel.model.witness import InstructionCounts
from windtunnel.stats.paired_differences import Estimates, estimate, interval

CONFIDENCE = 0.99
"""The confidence of the interval of one case."""

SAME_WORK = 0.001
"""The relative change up to which the work counts as the same."""

MIN_SPREAD = 1e-4
"""The smallest standard deviation over seeds that is assumed: the counts of a few seeds may be equal by chance."""

GATE_ERROR = 0.01
"""The probability that the gate fails although no case executes more instructions than its threshold allows."""

MIN_SEEDS = 3
"""Seeds without which the spread is too uncertain."""

THREADS = "the case runs threads or processes, and their work is not counted reliably"
TOO_WIDE = "the counts of the hash seeds differ too much"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ratios:
    """The logarithms of head / base of one case, one for each seed; empty with a reason."""

    values: tuple[float, ...] = ()
    reason: str = ""


def decide_work(samples: Sequence[PairedSamples]) -> tuple[InstructionChange | None, ...]:
    """Return what the counts of each of *samples* show; None if counting it was not tried."""
    counted = [(one, ratios) for one in samples if one.work and (ratios := _ratios(one.work)).values]
    estimates = _estimate([ratios for _, ratios in counted])
    gated = sum(one.instructions_threshold > 0 for one, _ in counted)
    lower, upper = interval(estimates, np.full(len(counted), 1 - CONFIDENCE))
    surely_above, _ = interval(estimates, np.full(len(counted), 2 * GATE_ERROR / max(gated, 1)))
    columns = (estimates.mean, lower, upper, surely_above)
    found = {
        one.identity: _change(one, *row)
        for (one, _), *row in zip(counted, *(column.tolist() for column in columns), strict=True)
    }
    return tuple(found.get(one.identity) or _without_ratios(one) for one in samples)


def _estimate(rows: Sequence[_Ratios]) -> Estimates:
    matrix = np.full((len(rows), max((len(one.values) for one in rows), default=0)), np.nan)
    for index, one in enumerate(rows):
        matrix[index, : len(one.values)] = one.values
    return estimate(matrix, MIN_SPREAD)


def _ratios(work: WorkSamples) -> _Ratios:
    base, head = work.base, work.head
    if not work.counted:
        reasons = {commit: one.reason for commit, one in (("base", base), ("head", head)) if not one.per_call}
        if len(set(reasons.values())) == 1 and len(reasons) == 2:
            return _Ratios(reason=base.reason or "it was not counted")
        return _Ratios(reason="; ".join(f"on {commit}: {one or 'not counted'}" for commit, one in reasons.items()))
    if len(base.per_call) != len(head.per_call):
        return _Ratios(reason="base and head were not counted with the same hash seeds")
    if len(base.per_call) < MIN_SEEDS:
        return _Ratios(reason=f"counts of at least {MIN_SEEDS} hash seeds are needed")
    if min(*base.per_call, *head.per_call) <= 0:
        return _Ratios(reason="a count is not above zero")
    pairs = zip(base.per_call, head.per_call, strict=True)
    return _Ratios(values=tuple(math.log(after) - math.log(before) for before, after in pairs))


def _without_ratios(one: PairedSamples) -> InstructionChange | None:
    return InstructionChange(work=WorkChange.UNKNOWN, reason=_ratios(one.work).reason) if one.work else None


def _change(one: PairedSamples, mean: float, lower: float, upper: float, surely_above: float) -> InstructionChange:
    """Return the change of a counted case; arguments are logarithms of ratios."""
    assert one.work
    partial = one.work.base.other_threads or one.work.head.other_threads
    change, low, high = (_to_relative(value) for value in (mean, lower, upper))
    work = WorkChange.UNKNOWN if partial or change is None else _decide(lower, upper)
    known = low is not None and high is not None
    beyond = one.instructions_threshold > 0 and surely_above > math.log1p(one.instructions_threshold)
    return InstructionChange(
        base=_mean(one.work.base),
        head=_mean(one.work.head),
        relative_change=change,
        interval=Interval(low=low, high=high) if low is not None and high is not None else None,
        work=work,
        regressed=beyond and known and not partial,
        reason=THREADS if partial else "" if work is not WorkChange.UNKNOWN else TOO_WIDE,
    )


def _decide(lower: float, upper: float) -> WorkChange:
    margin = math.log1p(SAME_WORK)
    if -margin <= lower and upper <= margin:
        return WorkChange.SAME
    if lower > 0:
        return WorkChange.MORE
    return WorkChange.LESS if upper < 0 else WorkChange.UNKNOWN


def _mean(counts: InstructionCounts) -> float:
    return math.exp(math.fsum(map(math.log, counts.per_call)) / len(counts.per_call))


def _to_relative(value: float) -> float | None:
    """Return the relative change of a logarithm; None if it is beyond what a number holds."""
    try:
        return math.expm1(value) if math.isfinite(value) else None
    except OverflowError:
        return None
