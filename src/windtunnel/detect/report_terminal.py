"""Changes for a terminal: the newest event first, and below each the cases that moved."""

from collections.abc import Iterator

from windtunnel.detect import report
from windtunnel.detect.format import Change, DetectedChanges
from windtunnel.text.escaping import visible

MOST_EVENTS = 40
MOST_CASES = 10
"""Lines of a kind; the rest is counted."""


def terminal(found: DetectedChanges) -> str:
    """Return the report on *found* as plain text."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: DetectedChanges) -> Iterator[str]:
    yield report.headline(found)
    yield from (visible(note, 400) for note in found.notes[:5])
    for mode in found.common_mode[-MOST_EVENTS:][::-1]:
        yield ""
        yield (
            f"{visible(report.where(mode))}: nearly everything on {visible(mode.machine, 40)} moved by "
            f"{report.moved(mode)}, {mode.cases} of {mode.total} cases"
        )
    events = report.newest_first(found.events)
    for event in events[:MOST_EVENTS]:
        yield ""
        yield f"{visible(report.where(event))}: {report.event(event)}"
        members = report.members(event, found)
        yield from map(_case, members[:MOST_CASES])
        if len(members) > MOST_CASES:
            yield f"  ... and {len(members) - MOST_CASES} more"
    if len(events) > MOST_EVENTS:
        yield ""
        yield f"... and {len(events) - MOST_EVENTS} older events"
    if found.skipped:
        yield ""
        yield f"{len(found.skipped)} series were left out; changes.json says why"


def _case(one: Change) -> str:
    told = filter(None, (report.moved(one), report.levels(one), report.state(one)))
    name = f"{visible(report.name(one), 72)} in {visible(one.environment, 36)}"
    return f"  {one.direction:9}  {name}  {visible('  '.join(told))}"
