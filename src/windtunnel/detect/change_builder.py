"""Drafts, causes and movements as the file says them: with commits for positions, and ids that stay."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from windtunnel.detect.candidate_change import CandidateChange
from windtunnel.detect.causes import Cause
from windtunnel.detect.format import (
    CandidateCommits,
    Change,
    ChangeEvent,
    ChangeKind,
    ChangeStatus,
    Direction,
    MachineShift,
    MeasuredCase,
    PlotWindow,
)
from windtunnel.detect.machine_shift import Movement
from windtunnel.detect.plot_window import course_of
from windtunnel.model.commit_history import CommitHistory
from windtunnel.model.identity import MachineName
from windtunnel.model.result import Interval

MOST_CANDIDATES = 200
"""Commits that are listed; the count tells how many there are."""
NORMAL_95 = 1.959963984540054
"""The 97.5th percentile of a standard normal: half a 95 % interval in standard errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeBuilder:
    """Knows the commits that positions stand for."""

    history: CommitHistory

    def events(self, found: Sequence[Cause]) -> tuple[tuple[ChangeEvent, ...], tuple[Change, ...]]:
        """Return an event for each cause, and all their changes, oldest first."""
        events: list[ChangeEvent] = []
        changes: list[Change] = []
        for cause in found:
            where = self._suspects(_Span(cause.previous, cause.previous, cause.position, cause.latest))
            baseline = where.previous_commit if cause.drafts[0].kind is ChangeKind.CREEP else ""
            name = _id("event", where.commit, baseline)
            told = [_Told(self._change(draft, name, cause), draft) for draft in cause.drafts]
            told.sort(key=lambda one: _reading_order(one.change))
            events.append(_event(name, where, told))
            changes += [one.change for one in told]
        return tuple(events), tuple(changes)

    def common_mode(self, moves: Sequence[Movement], absorbed: Sequence[CandidateChange]) -> tuple[MachineShift, ...]:
        """Return each common movement once, however many environments of the machine saw it."""
        groups: dict[tuple[int, MachineName, bool], list[Movement]] = defaultdict(list)
        for move in moves:
            groups[move.position, move.place.machine, move.middle > 0].append(move)
        return tuple(self._common_mode(group, absorbed) for group in groups.values())

    def _common_mode(self, moves: Sequence[Movement], absorbed: Sequence[CandidateChange]) -> MachineShift:
        strongest = max(moves, key=lambda move: move.total)
        middle, half = strongest.middle, NORMAL_95 * strongest.error
        where = self._suspects(_Span(strongest.before, strongest.before, strongest.position, strongest.position))
        members = [draft for draft in absorbed if any(move.explains(draft) for move in moves)]
        return MachineShift(
            **_fields(where),
            id=_id("common mode", strongest.place.machine, where.commit),
            machine=strongest.place.machine,
            environments=tuple(sorted({move.place.environment for move in moves})),
            relative_change=math.expm1(middle),
            interval=Interval(low=math.expm1(middle - half), high=math.expm1(middle + half)),
            direction=Direction.REGRESSED if middle > 0 else Direction.IMPROVED,
            cases=sum(move.alike for move in moves),
            total=sum(move.total for move in moves),
            members=tuple(sorted((_case(draft) for draft in members), key=_case_order)),
            course=strongest.course,
        )

    def _change(self, draft: CandidateChange, event: str, cause: Cause) -> Change:
        case, where = _case(draft), self._suspects(_span(draft, cause))
        return Change(
            **_fields(where),
            **_fields(case),
            id=_id("change", draft.kind, *_case_order(case), where.commit),
            event=event,
            kind=draft.kind,
            unit=draft.found.series.unit,
            before=draft.found.scale.back(draft.before),
            after=draft.found.scale.back(draft.after),
            relative_change=draft.relative_change,
            interval=draft.interval,
            confidence=1 - draft.chance,
            direction=draft.direction,
            magnitude=draft.magnitude,
            status=ChangeStatus.GONE if draft.found.series.gone else draft.status,
        )

    def _suspects(self, span: "_Span") -> CandidateCommits:
        commits = self.history.commits
        between = commits[span.earliest + 1 : span.latest + 1]
        return CandidateCommits(
            commit=commits[span.position].hash,
            previous_commit=commits[span.previous].hash,
            candidates=tuple(commit.hash for commit in between[-MOST_CANDIDATES:]),
            candidate_count=len(between),
            date=commits[span.position].day,
        )


class _Told(NamedTuple):
    change: Change
    draft: CandidateChange


class _Span(NamedTuple):
    """Positions: the last run before, the last one that is surely before, the most likely one, the last possible."""

    previous: int
    earliest: int
    position: int
    latest: int


def _span(draft: CandidateChange, cause: Cause) -> _Span:
    """Return where *draft* lies: where its cause does, if it was measured there and cannot be told from there."""
    measured = draft.found.series.positions
    at = int(np.searchsorted(measured, cause.position))
    there = at < len(measured) and measured[at] == cause.position
    if draft.kind is ChangeKind.STEP and there and draft.earliest < cause.position <= draft.latest:
        return _Span(int(measured[at - 1]), draft.earliest, cause.position, draft.latest)
    return _Span(draft.previous, draft.earliest, draft.position, draft.latest)


def _event(name: str, where: CandidateCommits, told: Sequence[_Told]) -> ChangeEvent:
    members = [one.change for one in told]
    sizes = [member.relative_change for member in members if member.relative_change is not None]
    regressed = sum(member.direction is Direction.REGRESSED for member in members)
    return ChangeEvent(
        **_fields(where),
        id=name,
        members=tuple(member.id for member in members),
        regressed=regressed,
        improved=len(members) - regressed,
        largest=max(sizes, key=abs) if sizes else None,
        course=_worst(told),
    )


def _worst(told: Sequence[_Told]) -> PlotWindow | None:
    bad = [one for one in told if one.change.direction is Direction.REGRESSED]
    worst = max(bad, key=lambda one: abs(one.change.relative_change or 0), default=None)
    return None if worst is None else course_of(worst.draft, _case(worst.draft))


def _case(draft: CandidateChange) -> MeasuredCase:
    key = draft.found.series.key
    return MeasuredCase(
        benchmark=key.benchmark,
        params=key.params,
        environment=key.target.environment,
        machine=key.target.machine,
        version=key.version,
    )


def _case_order(case: MeasuredCase) -> tuple[str, ...]:
    return (case.benchmark, *case.params, case.environment, case.machine, case.version or "")


def _reading_order(change: Change) -> tuple[str, ...]:
    return (change.benchmark, *change.params, change.environment, change.machine, change.id)


def _fields(value: CandidateCommits | MeasuredCase) -> dict[str, Any]:
    """Return the fields of *value* for a wider dataclass to be made from; they leave this function at once."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _id(*parts: str) -> str:
    """Return a short name that the same parts always give; 48 bits: a clash among a million has a chance of 0.2 %."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
