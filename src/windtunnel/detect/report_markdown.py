"""Changes as Markdown: an event a section, the newest first; it always fits a GitHub comment."""

from collections.abc import Iterator

from windtunnel.detect import report
from windtunnel.detect.format import Change, ChangeEvent, DetectedChanges
from windtunnel.text.escaping import code, plain
from windtunnel.text.markdown import LONGEST, fitting, size

MOST_CASES = 10
"""Cases of an event that are shown; the rest is counted."""

COLUMNS = "| | case | environment | change | level | |\n|---|---|---|---:|---:|---|\n"


def markdown(found: DetectedChanges, longest: int = LONGEST) -> str:
    """Return the report on *found*, at most *longest* characters (UTF-16 units, as GitHub counts)."""
    text = f"## {report.headline(found)}\n\n"
    text += "".join(f"> StateChange: {plain(note, 400)}\n\n" for note in found.notes[:5])
    left = f"{len(found.skipped)} series were left out; changes.json says why.\n" if found.skipped else ""
    sections = [*_common(found), *(_event(one, found) for one in report.newest_first(found.events))]
    return text + fitting(sections, longest - size(text) - size(left), "changes.json") + left


def _common(found: DetectedChanges) -> Iterator[str]:
    for mode in reversed(found.common_mode):
        yield (
            f"**{plain(report.where(mode))}**: nearly everything on {code(mode.machine, 60)} moved by "
            f"{report.moved(mode)}, {mode.cases} of {mode.total} cases.\n\n"
        )


def _event(event: ChangeEvent, found: DetectedChanges) -> str:
    members = report.members(event, found)
    rows = "".join(_row(one) for one in members[:MOST_CASES])
    more = f"\n... and {len(members) - MOST_CASES} more\n" if len(members) > MOST_CASES else ""
    return f"### {plain(report.where(event))}: {report.event(event)}\n\n{COLUMNS}{rows}{more}\n"


def _row(one: Change) -> str:
    cells = (
        one.direction.value,
        code(report.name(one)),
        code(one.environment, 60),
        report.moved(one),
        plain(report.levels(one), 60),
        report.state(one),
    )
    return f"| {' | '.join(cells)} |\n"
