"""Shards of one comparison to one judgement: evidence is put together first, error control comes after.

A shard of confirmation carries the screening that it came from; equal passes count once.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import fields, replace
from typing import TypeVar

from windtunnel.compare.decide import decide
from windtunnel.compare.format import Budget, ComparisonContext, ComparisonReport, FalseAlarms, NotCompared
from windtunnel.errors import DataError
from windtunnel.model.measure import PairedSamples, Stage

Item = TypeVar("Item", bound=Hashable)


def merge_shards(parts: Sequence[ComparisonReport]) -> ComparisonReport:
    """Return the judgement of all *parts* together, equal ones once; DataError where they are not of one comparison."""
    parts = [part for place, part in enumerate(parts) if part not in parts[:place]]
    if not parts:
        raise DataError("no verdict to merge: name at least one verdict.json")
    for part in parts:
        for name in ("base", "head", "rules"):
            if getattr(part, name) != getattr(parts[0], name):
                raise DataError(
                    f"these verdicts do not belong together: {name} is {getattr(parts[0], name)} in the first "
                    f"and {getattr(part, name)} in another; merge shards of one comparison only"
                )
    samples: dict[tuple[str, tuple[str, ...], str], PairedSamples] = {}
    for one in (one for part in parts for one in part.comparisons):
        samples[one.identity] = _joined(samples[one.identity], one) if one.identity in samples else _trial(one)
    return decide(_context(parts, samples), tuple(samples.values()))


def samples_of(report: ComparisonReport) -> tuple[PairedSamples, ...]:
    """Return the trials that *judgement* rests on, to be judged again."""
    return tuple(_trial(one) for one in report.comparisons)


def _trial(one: PairedSamples) -> PairedSamples:
    return PairedSamples(**{field.name: getattr(one, field.name) for field in fields(PairedSamples)})


def _joined(one: PairedSamples, other: PairedSamples) -> PairedSamples:
    joined = replace(one, stage_samples=_once(one.stage_samples + other.stage_samples))
    if len(joined.at(Stage.SCREENING)) > max(len(one.at(Stage.SCREENING)), len(other.at(Stage.SCREENING))):
        raise DataError(
            f"{one.benchmark} was screened in two shards, so its looks cannot be counted; "
            "measure each case in one shard, or merge each shard once"
        )
    return joined


def _once(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys(items))


def _context(
    parts: Sequence[ComparisonReport], samples: Iterable[tuple[str, tuple[str, ...], str]]
) -> ComparisonContext:
    compared = {*samples}

    def left_out(name: str) -> tuple[NotCompared, ...]:
        return _once(one for part in parts for one in getattr(part, name) if one.identity not in compared)

    seconds = [part.budget.seconds for part in parts if part.budget.seconds is not None]
    allowed = [part.budget.allowed_seconds for part in parts if part.budget.allowed_seconds is not None]
    return ComparisonContext(
        base=parts[0].base,
        head=parts[0].head,
        rules=parts[0].rules,
        machines=_once(one for part in parts for one in part.machines),
        environments=_once(one for part in parts for one in part.environments),
        budget=Budget(
            seconds=sum(seconds) if seconds else None,
            allowed_seconds=sum(allowed) if allowed else None,
            processes=sum(part.budget.processes for part in parts),
            machine_timings=tuple(leg for part in parts for leg in part.budget.machine_timings),
        ),
        failed=left_out("failed"),
        added=left_out("added"),
        removed=left_out("removed"),
        skipped=left_out("skipped"),
        incomparable=left_out("incomparable"),
        same_artifact=all(part.same_artifact for part in parts),
        aa=FalseAlarms(
            comparisons=sum(part.aa.comparisons for part in parts), alarms=sum(part.aa.alarms for part in parts)
        ),
        notes=_once(note for part in parts for note in part.notes),
    )
