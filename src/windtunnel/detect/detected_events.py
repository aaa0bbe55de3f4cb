"""What an observation shows, as alerts tell it: events, common modes and health_issues in one form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from windtunnel.detect.alert_format import AlertedCase, AlertedShift, AlertSubject, HealthIssue, ResultsExtent
from windtunnel.detect.format import (
    CandidateCommits,
    Change,
    ChangeStatus,
    DetectedChanges,
    MachineShift,
    MeasuredCase,
    PlotWindow,
)

LEFT = 0.1
"""Of a change, how much may be left for it to count as fixed: levels are estimates, and twice the same never equal."""

CASE = tuple(field.name for field in fields(MeasuredCase))


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedItem:
    """One thing that can be recognised: *key* says of what, *where* at which commits; *fixed* when it is over."""

    subject: AlertSubject
    key: tuple[str, ...]
    where: CandidateCommits | None
    fixed: bool
    member: AlertedCase | None = None
    move: AlertedShift | None = None
    health_issue: HealthIssue | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedEvent:
    """Things with one cause; *name* is the detector's for it, *course* how the worst of them went."""

    name: str
    where: CandidateCommits | None
    things: tuple[DetectedItem, ...]
    course: PlotWindow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What was found of a history at a time: *when* is UTC, ISO 8601; *health_issues* is None where nobody looked."""

    changes: DetectedChanges
    when: str
    health_issues: tuple[HealthIssue, ...] | None = None

    @property
    def extent(self) -> ResultsExtent:
        """How far the results reach."""
        return ResultsExtent(newest_result=self.changes.newest_result, commits=self.changes.commits)


def build_events(observation: Observation) -> tuple[DetectedEvent, ...]:
    """Return what *observation* shows, in its order."""
    found = observation.changes
    todays = {_case(change): change.after for change in found.changes if change.status is not ChangeStatus.GONE}
    groups: dict[str, list[Change]] = {}
    for change in found.changes:
        groups.setdefault(change.event, []).append(change)
    events = tuple(
        DetectedEvent(
            name=event.id,
            where=_suspects(event),
            things=tuple(_seen_change(change, todays) for change in groups.get(event.id, ())),
            course=event.course,
        )
        for event in found.events
    )
    moves = tuple(_seen_move(place, found.common_mode) for place in range(len(found.common_mode)))
    return tuple(one for one in (*events, *moves, *map(_seen_ailment, observation.health_issues or ())) if one.things)


def key_of(member: AlertedCase | Change) -> tuple[str, ...]:
    """Return what tells the change of a case from those of other cases; versions of a benchmark count as one."""
    return (
        str(member.kind),
        str(member.direction),
        member.benchmark,
        member.environment,
        member.machine,
        *member.params,
    )


def _seen_change(change: Change, todays: Mapping[MeasuredCase, float]) -> DetectedItem:
    case = _case(change)
    fixed = _is_fixed(change, todays.get(case, change.after))
    member = AlertedCase(
        **{name: getattr(change, name) for name in CASE},
        kind=change.kind,
        unit=change.unit,
        before=change.before,
        after=change.after,
        relative_change=change.relative_change,
        direction=change.direction,
        status=change.status,
        fixed=fixed,
    )
    return DetectedItem(
        subject=AlertSubject.CHANGE, key=key_of(change), where=_suspects(change), fixed=fixed, member=member
    )


def _is_fixed(change: Change, today: float) -> bool:
    """Tell whether the change is undone: by its own status, or because later levels lead at least as far back."""
    if change.status in {ChangeStatus.RECOVERED, ChangeStatus.GONE}:
        return True
    size = change.after - change.before
    return change.status is ChangeStatus.SUPERSEDED and size != 0 and (today - change.before) / size <= LEFT


def _seen_move(place: int, modes: Sequence[MachineShift]) -> DetectedEvent:
    mode = modes[place]
    move = AlertedShift(
        machine=mode.machine,
        relative_change=mode.relative_change,
        direction=mode.direction,
        cases=mode.cases,
        total=mode.total,
    )
    level = 1.0
    for later in modes[place:]:
        if later.machine == mode.machine:
            level *= 1 + later.relative_change
    left = (level - 1) / mode.relative_change if mode.relative_change else 0.0
    seen = DetectedItem(
        subject=AlertSubject.COMMON_MODE,
        key=(str(mode.direction), mode.machine),
        where=_suspects(mode),
        fixed=left <= LEFT,
        move=move,
    )
    return DetectedEvent(name=mode.id, where=seen.where, things=(seen,), course=mode.course)


def _seen_ailment(health_issue: HealthIssue) -> DetectedEvent:
    key = (health_issue.check, health_issue.name)
    seen = DetectedItem(subject=AlertSubject.HEALTH, key=key, where=None, fixed=False, health_issue=health_issue)
    return DetectedEvent(name="\0".join(key), where=None, things=(seen,))


def _case(change: Change) -> MeasuredCase:
    return MeasuredCase(
        benchmark=change.benchmark,
        params=change.params,
        environment=change.environment,
        machine=change.machine,
        version=change.version,
    )


def _suspects(place: CandidateCommits) -> CandidateCommits:
    return CandidateCommits(
        commit=place.commit,
        previous_commit=place.previous_commit,
        candidates=place.candidates,
        candidate_count=place.candidate_count,
        date=place.date,
    )
