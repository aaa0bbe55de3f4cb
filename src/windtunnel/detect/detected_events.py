"""What an observation shows, as alerts tell it: events, common modes and ailments in one form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from windtunnel.detect.alert_format import Ailment, Extent, Member, Move, Subject
from windtunnel.detect.format import CaseInSeries, Change, Changes, CommonMode, Course, Status, Suspects

LEFT = 0.1
"""Of a change, how much may be left for it to count as fixed: levels are estimates, and twice the same never equal."""

CASE = tuple(field.name for field in fields(CaseInSeries))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One thing that can be recognised: *key* says of what, *where* at which commits; *fixed* when it is over."""

    subject: Subject
    key: tuple[str, ...]
    where: Suspects | None
    fixed: bool
    member: Member | None = None
    move: Move | None = None
    ailment: Ailment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Things with one cause; *name* is the detector's for it, *course* how the worst of them went."""

    name: str
    where: Suspects | None
    things: tuple[Seen, ...]
    course: Course | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What was found of a history at a time: *when* is UTC, ISO 8601; *ailments* is None where nobody looked."""

    changes: Changes
    when: str
    ailments: tuple[Ailment, ...] | None = None

    @property
    def extent(self) -> Extent:
        """How far the results reach."""
        return Extent(newest_result=self.changes.newest_result, commits=self.changes.commits)


def sightings(observation: Observation) -> tuple[Sighting, ...]:
    """Return what *observation* shows, in its order."""
    found = observation.changes
    todays = {_case(change): change.after for change in found.changes if change.status is not Status.GONE}
    groups: dict[str, list[Change]] = {}
    for change in found.changes:
        groups.setdefault(change.event, []).append(change)
    events = tuple(
        Sighting(
            name=event.id,
            where=_suspects(event),
            things=tuple(_seen_change(change, todays) for change in groups.get(event.id, ())),
            course=event.course,
        )
        for event in found.events
    )
    moves = tuple(_seen_move(place, found.common_mode) for place in range(len(found.common_mode)))
    return tuple(one for one in (*events, *moves, *map(_seen_ailment, observation.ailments or ())) if one.things)


def key_of(member: Member | Change) -> tuple[str, ...]:
    """Return what tells the change of a case from those of other cases; versions of a benchmark count as one."""
    return (
        str(member.kind),
        str(member.direction),
        member.benchmark,
        member.environment,
        member.machine,
        *member.params,
    )


def _seen_change(change: Change, todays: Mapping[CaseInSeries, float]) -> Seen:
    case = _case(change)
    fixed = _is_fixed(change, todays.get(case, change.after))
    member = Member(
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
    return Seen(subject=Subject.CHANGE, key=key_of(change), where=_suspects(change), fixed=fixed, member=member)


def _is_fixed(change: Change, today: float) -> bool:
    """Tell whether the change is undone: by its own status, or because later levels lead at least as far back."""
    if change.status in {Status.RECOVERED, Status.GONE}:
        return True
    size = change.after - change.before
    return change.status is Status.SUPERSEDED and size != 0 and (today - change.before) / size <= LEFT


def _seen_move(place: int, modes: Sequence[CommonMode]) -> Sighting:
    mode = modes[place]
    move = Move(
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
    seen = Seen(
        subject=Subject.COMMON_MODE,
        key=(str(mode.direction), mode.machine),
        where=_suspects(mode),
        fixed=left <= LEFT,
        move=move,
    )
    return Sighting(name=mode.id, where=seen.where, things=(seen,), course=mode.course)


def _seen_ailment(ailment: Ailment) -> Sighting:
    key = (ailment.check, ailment.name)
    seen = Seen(subject=Subject.HEALTH, key=key, where=None, fixed=False, ailment=ailment)
    return Sighting(name="\0".join(key), where=None, things=(seen,))


def _case(change: Change) -> CaseInSeries:
    return CaseInSeries(
        benchmark=change.benchmark,
        params=change.params,
        environment=change.environment,
        machine=change.machine,
        version=change.version,
    )


def _suspects(place: Suspects) -> Suspects:
    return Suspects(
        commit=place.commit,
        previous_commit=place.previous_commit,
        candidates=place.candidates,
        candidate_count=place.candidate_count,
        date=place.date,
    )
