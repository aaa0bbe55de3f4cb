"""Changes in words: the headline, and a line for an event or a change; for every form of the report."""

from collections.abc import Sequence

from windtunnel.detect.format import (
    CandidateCommits,
    Change,
    ChangeEvent,
    ChangeStatus,
    DetectedChanges,
    Direction,
    MachineShift,
)
from windtunnel.model.identity import case_name
from windtunnel.text import numbers


def headline(found: DetectedChanges) -> str:
    """Return what was found, in a line."""
    regressed = sum(one.direction is Direction.REGRESSED for one in found.changes)
    improved = len(found.changes) - regressed
    if not found.changes and not found.common_mode:
        return f"No change of level in {found.series} series over {found.commits} commits"
    common = f"; {_times(len(found.common_mode))} nearly everything moved" if found.common_mode else ""
    return (
        f"{regressed} regressed and {improved} improved, in {events(len(found.events))}, "
        f"of {found.series} series over {found.commits} commits{common}"
    )


def newest_first(events: Sequence[ChangeEvent]) -> tuple[ChangeEvent, ...]:
    """Return *events*, which come in the order of the branch, the newest first."""
    return tuple(reversed(events))


def members(event: ChangeEvent, found: DetectedChanges) -> tuple[Change, ...]:
    """Return the changes of *event*, the largest first."""
    mine = {*event.members}
    return tuple(sorted((one for one in found.changes if one.id in mine), key=_size, reverse=True))


def where(place: CandidateCommits) -> str:
    """Return the commit that most likely did it, its day, and how many others it may have been."""
    day = f", {place.date[:10]}" if place.date else ""
    others = max(place.candidate_count - 1, 0)
    doubt = f", or one of {others} others" if others else ""
    return f"{place.commit[:10]}{day}{doubt}"


def event(one: ChangeEvent) -> str:
    """Return how many cases moved which way."""
    parts = [f"{one.regressed} regressed"] * bool(one.regressed) + [f"{one.improved} improved"] * bool(one.improved)
    return ", ".join(parts) or "nothing that matters"


def name(one: Change) -> str:
    """Return benchmark and parameters, as foreign as they came."""
    return case_name(one.benchmark, one.params)


def moved(one: Change | MachineShift) -> str:
    """Return by which factor it moved, with its interval where there is one."""
    if one.relative_change is None:
        return ""
    limits = None if one.interval is None else (1 + one.interval.low, 1 + one.interval.high)
    worded = numbers.ratio(1 + one.relative_change, limits)
    return worded.value + (f" ({worded.interval})" if worded.interval else "")


def levels(one: Change) -> str:
    """Return the level before and after."""
    unit = one.unit or "unit"
    before, after = (numbers.quantity(value, None, unit).value for value in (one.before, one.after))
    return f"{before} \N{RIGHTWARDS ARROW} {after}"


def state(one: Change) -> str:
    """Return what became of the new level, empty while it holds."""
    return "" if one.status is ChangeStatus.CURRENT else one.status.value


def events(count: int) -> str:
    """Return so many events in words."""
    return "one event" if count == 1 else f"{count} events"


def _size(one: Change) -> float:
    return abs(one.relative_change or 0.0)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
