"""Merge the reports of shards: their samples are put together first, then decided, so one error rate holds for all.

A shard of confirmation contains the screening that it is based on; equal samples count once.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, TypeVar

from msgspec.structs import replace

from windtunnel.compare.decide import count_false_alarms, decide
from windtunnel.compare.format import Budget, ComparisonReport, FalseAlarms, MissingKind, ReportContext, SelfCheck
from windtunnel.compare.samples_format import PairedSamples
from windtunnel.compare.work_format import WorkSamples
from windtunnel.errors import DataError
from windtunnel.model.schedule import Stage

Item = TypeVar("Item", bound=Hashable)

Identity = tuple[str, tuple[str, ...], str]


def merge_shards(reports: Sequence[ComparisonReport]) -> ComparisonReport:
    """Return the report on all *reports* together, equal ones once; raises DataError if their comparisons differ."""
    parts = [part for index, part in enumerate(reports) if part not in reports[:index]]
    if not parts:
        raise DataError("no verdict to merge: name at least one verdict.json")
    for part in parts:
        for name, value in _identity(part).items():
            first = _identity(parts[0])[name]
            if value != first:
                raise DataError(
                    f"these verdicts do not belong together: {name} is {first} in the first "
                    f"and {value} in another; merge shards of one comparison only"
                )
    samples = _join_all(comparison.samples() for part in parts for comparison in part.comparisons)
    return decide(_context(parts, samples), tuple(samples.values()))


def _identity(part: ComparisonReport) -> dict[str, object]:
    """Return what shards of one comparison agree on."""
    check = part.self_check
    return {"base": part.base, "head": part.head, "rules": part.rules, "slowdown": check and check.slowdown}


def _false_alarms(parts: Sequence[ComparisonReport]) -> FalseAlarms:
    """Return the A/A comparisons of *parts* together; suspects are decided together, after their confirmation."""
    suspects = _join_all(one for part in parts for one in part.aa.suspects)
    repeated = sum(len(part.aa.suspects) for part in parts) - len(suspects)
    return FalseAlarms(
        comparisons=sum(part.aa.comparisons for part in parts) - repeated,
        alarms=count_false_alarms(tuple(suspects.values()), parts[0].rules).alarms
        + sum(part.aa.alarms for part in parts if not part.aa.suspects),
        suspects=tuple(suspects.values()),
    )


def _join_all(samples: Iterable[PairedSamples]) -> Mapping[Identity, PairedSamples]:
    joined: dict[Identity, PairedSamples] = {}
    for one in samples:
        joined[one.identity] = _join(joined[one.identity], one) if one.identity in joined else one
    return joined


def _join(one: PairedSamples, other: PairedSamples) -> PairedSamples:
    joined = replace(
        one,
        stage_samples=_unique(one.stage_samples + other.stage_samples),
        work=_join_work(one.work, other.work),
        cause=one.cause or other.cause,
    )
    if len(joined.at(Stage.SCREENING)) > max(len(one.at(Stage.SCREENING)), len(other.at(Stage.SCREENING))):
        raise DataError(
            f"{one.benchmark} was screened in two shards, so its interim analyses cannot be counted; "
            "measure each case in one shard, or merge each shard once"
        )
    return joined


def _join_work(one: WorkSamples | None, other: WorkSamples | None) -> WorkSamples | None:
    """Return what has counts; where both have, *other*, which was counted later."""
    return other if other and (other.counted or not (one and one.counted)) else one


def _self_check(parts: Sequence[ComparisonReport]) -> SelfCheck | None:
    """Return the self-check of *parts*, with the median of the slowdowns that they achieved."""
    check = parts[0].self_check
    achieved = [one for part in parts if part.self_check and (one := part.self_check.achieved) is not None]
    return replace(check, achieved=median(achieved)) if check and achieved else check


def _unique(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys(items))


def _context(parts: Sequence[ComparisonReport], compared: Iterable[Identity]) -> ReportContext:
    """Return everything but the decision; a case that one shard compared is not missing."""
    known = {*compared}
    missing: dict[str, Any] = {
        kind: _unique(one for part in parts for one in part.missing(kind) if one.identity not in known)
        for kind in MissingKind
    }
    seconds = [part.budget.seconds for part in parts if part.budget.seconds is not None]
    allowed = [part.budget.allowed_seconds for part in parts if part.budget.allowed_seconds is not None]
    measured = [part for part in parts if part.budget.seconds is not None] or parts
    return ReportContext(
        base=parts[0].base,
        head=parts[0].head,
        rules=parts[0].rules,
        machines=_unique(one for part in parts for one in part.machines),
        environments=_unique(one for part in parts for one in part.environments),
        environment_failures=_unique(one for part in parts for one in part.environment_failures),
        budget=Budget(
            seconds=sum(seconds) if seconds else None,
            allowed_seconds=sum(allowed) if allowed else None,
            processes=sum(part.budget.processes for part in parts),
            machine_timings=tuple(one for part in parts for one in part.budget.machine_timings),
        ),
        unmeasured=parts[0].unmeasured if measured is parts else None,
        same_artifact=all(part.same_artifact for part in measured),
        aa=_false_alarms(parts),
        self_check=_self_check(parts),
        notes=_unique(note for part in parts for note in part.notes),
        **missing,
    )
