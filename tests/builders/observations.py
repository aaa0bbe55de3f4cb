"""Changes, events and observations for tests of what uses them."""

from hashlib import sha256

from builders.trees import a_hash
from msgspec.structs import asdict, replace

from windtunnel.detect.alert_events import Observation
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import (
    SCHEMA,
    CandidateCommits,
    Change,
    ChangeEvent,
    DetectedChanges,
    MachineShift,
    part_of,
)
from windtunnel.model.run import Interval


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
        "kind": "step",
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
        "direction": "regressed",
        "status": "current",
    }
    first = int(place.pop("candidates")[0], 16)
    values = {**place, "first_candidate": first, **defaults, **given}
    return Change(
        id=sha256(f"{name}{at}{values['environment']}".encode(errors="surrogatepass")).hexdigest()[:12], **values
    )


def a_shift(at=40, relative_change=0.1, machine="desk"):
    """A shift of all times on a machine at commit *at*."""
    return MachineShift(
        **a_place(at),
        id=f"shift{at}",
        machine=machine,
        environments=("virtualenv-py3.12",),
        relative_change=relative_change,
        interval=Interval(low=relative_change - 0.01, high=relative_change + 0.01),
        direction="regressed" if relative_change > 0 else "improved",
        shifted_cases=38,
        total_cases=40,
        explained_cases=(),
    )


def changes(*found, newest=1_000, commits=60, shifts=()):
    """The content of changes.json with *found*."""
    groups = {}
    for change in found:
        groups.setdefault(change.event, []).append(change)
    return DetectedChanges(
        schema=SCHEMA,
        series=10,
        commits=commits,
        changes=found,
        events=tuple(an_event(name, group) for name, group in groups.items()),
        candidates=all_commits(found),
        machine_shifts=shifts,
        skipped=(),
        notes=(),
        newest_result=newest,
    )


def all_commits(found):
    """All commits up to the last candidate of the changes *found*."""
    return tuple(map(a_hash, range(max((each.first_candidate + each.candidate_count for each in found), default=0))))


def an_event(name, group):
    """The event of a group of changes, at the location of the first."""
    listed = slice(group[0].first_candidate, group[0].first_candidate + group[0].candidate_count)
    location = asdict(part_of(group[0], CandidateCommits, candidates=all_commits(group)[listed]))
    regressed = sum(change.direction == "regressed" for change in group)
    return ChangeEvent(
        **location,
        id=name,
        members=tuple(change.id for change in group),
        regressed=regressed,
        improved=len(group) - regressed,
        largest_change=max((c.relative_change for c in group if c.relative_change is not None), key=abs, default=None),
    )


def an_observation(*found, newest=1_000, commits=60, shifts=(), time="2026-02-01T00:00:00Z", health_issues=()):
    """An observation of a history with the changes *found*."""
    seen = changes(*found, newest=newest, commits=commits, shifts=shifts)
    return Observation(changes=seen, time=time, health_issues=health_issues)


def an_alert_at(benchmark, commits, **given):
    """An alert of *benchmark*, raised, whose change may lie at any of *commits*."""
    (alert,) = update_alerts(Alerts(), an_observation(a_change(benchmark, **given))).alerts
    location = replace(
        alert.location, candidates=tuple(commits), candidate_count=len(commits), commit=commits[-1],
        previous_commit=commits[0],
    )  # fmt: skip
    return replace(alert, location=location)
