"""Changes as detect finds them, for what comes after it."""

from hashlib import sha256

from windtunnel.detect.detected_events import Observation
from windtunnel.detect.format import (
    SCHEMA,
    CandidateCommits,
    Change,
    ChangeEvent,
    ChangeKind,
    ChangeStatus,
    DetectedChanges,
    Direction,
    MachineShift,
    Magnitude,
    MeasuredCase,
    PlotWindow,
)
from windtunnel.model.result import Interval


def a_hash(number):
    """Commit *number* of a history."""
    return f"{number:040x}"


def a_place(at, *, first=None, last=None):
    """Most likely at commit *at*, possibly from *first* to *last*."""
    first, last = at if first is None else first, at if last is None else last
    candidates = tuple(map(a_hash, range(first, last + 1)))
    return {
        "commit": a_hash(at),
        "previous_commit": a_hash(first - 1),
        "candidates": candidates,
        "candidate_count": len(candidates),
        "date": f"2026-01-{1 + at % 28:02d}T12:00:00Z",
    }


def a_change(name="m.time_it", at=40, **given):
    """A benchmark that got a fifth slower at commit *at*."""
    place = a_place(at, first=given.pop("first", None), last=given.pop("last", None))
    defaults = {
        "event": f"event{at}",
        "kind": ChangeKind.STEP,
        "benchmark": name,
        "params": (),
        "environment": "virtualenv-py3.12",
        "machine": "desk",
        "version": "1",
        "unit": "seconds",
        "before": 0.01,
        "after": 0.012,
        "relative_change": 0.2,
        "interval": Interval(low=0.18, high=0.22),
        "confidence": 0.999,
        "direction": Direction.REGRESSED,
        "magnitude": Magnitude.LARGE,
        "status": ChangeStatus.CURRENT,
    }
    values = {**place, **defaults, **given}
    return Change(
        id=sha256(f"{name}{at}{values['environment']}".encode(errors="surrogatepass")).hexdigest()[:12], **values
    )


def a_mode(at=40, relative_change=0.1, machine="desk"):
    """Nearly everything on a machine moved at commit *at*."""
    return MachineShift(
        **a_place(at),
        id=f"mode{at}",
        machine=machine,
        environments=("virtualenv-py3.12",),
        relative_change=relative_change,
        interval=Interval(low=relative_change - 0.01, high=relative_change + 0.01),
        direction=Direction.REGRESSED if relative_change > 0 else Direction.IMPROVED,
        cases=38,
        total=40,
        members=(),
    )


def changes(*found, newest=1_000, commits=60, modes=()):
    """What detect says when it finds *found*."""
    groups = {}
    for change in found:
        groups.setdefault(change.event, []).append(change)
    return DetectedChanges(
        schema=SCHEMA,
        series=10,
        commits=commits,
        changes=found,
        events=tuple(an_event(name, group) for name, group in groups.items()),
        common_mode=modes,
        skipped=(),
        notes=(),
        newest_result=newest,
    )


def an_event(name, group):
    """The event of some changes; the first of them says where."""
    place = {field: getattr(group[0], field) for field in CandidateCommits.__slots__}
    regressed = sum(change.direction is Direction.REGRESSED for change in group)
    return ChangeEvent(
        **place,
        id=name,
        members=tuple(change.id for change in group),
        regressed=regressed,
        improved=len(group) - regressed,
        largest=max((c.relative_change for c in group if c.relative_change is not None), key=abs, default=None),
        course=a_course(group[0]) if regressed else None,
    )


def a_course(change, later=3):
    """How the case of *change* went: five values before it and *later* ones from it on."""
    return PlotWindow(
        case=MeasuredCase(**{field: getattr(change, field) for field in MeasuredCase.__slots__}),
        kind=change.kind,
        unit=change.unit,
        values=(change.before,) * 5 + (change.after,) * later,
        split=5,
        before=change.before,
        after=change.after,
    )


def an_observation(*found, newest=1_000, commits=60, modes=(), when="2026-02-01T00:00:00Z", health_issues=()):
    """A look at a history in which detect finds *found*."""
    seen = changes(*found, newest=newest, commits=commits, modes=modes)
    return Observation(changes=seen, when=when, health_issues=health_issues)
