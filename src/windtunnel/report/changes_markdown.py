"""Changes as Markdown: an event a section, the newest first; it always fits a GitHub comment."""

from collections.abc import Iterator

from windtunnel.measurement.changes import Change, Changes, Event
from windtunnel.report import change_words
from windtunnel.report.rows import LONGEST, fitting, size
from windtunnel.report.safe_text import code, plain

MOST_CASES = 10
"""Cases of an event that are shown; the rest is counted."""

COLUMNS = "| | case | environment | change | level | |\n|---|---|---|---:|---:|---|\n"


def markdown(found: Changes, longest: int = LONGEST) -> str:
    """Return the report on *found*, at most *longest* characters (UTF-16 units, as GitHub counts)."""
    text = f"## {change_words.headline(found)}\n\n"
    text += "".join(f"> Note: {plain(note, 400)}\n\n" for note in found.notes[:5])
    left = f"{len(found.skipped)} series were left out; changes.json says why.\n" if found.skipped else ""
    sections = [*_common(found), *(_event(one, found) for one in change_words.newest_first(found.events))]
    return text + fitting(sections, longest - size(text) - size(left), "changes.json") + left


def _common(found: Changes) -> Iterator[str]:
    for mode in reversed(found.common_mode):
        yield (
            f"**{plain(change_words.where(mode))}**: nearly everything on {code(mode.machine, 60)} moved by "
            f"{change_words.moved(mode)}, {mode.cases} of {mode.total} cases.\n\n"
        )


def _event(event: Event, found: Changes) -> str:
    members = change_words.members(event, found)
    rows = "".join(_row(one) for one in members[:MOST_CASES])
    more = f"\n... and {len(members) - MOST_CASES} more\n" if len(members) > MOST_CASES else ""
    return f"### {plain(change_words.where(event))}: {change_words.event(event)}\n\n{COLUMNS}{rows}{more}\n"


def _row(one: Change) -> str:
    cells = (
        one.direction.value,
        code(change_words.name(one)),
        code(one.environment, 60),
        change_words.moved(one),
        plain(change_words.levels(one), 60),
        change_words.state(one),
    )
    return f"| {' | '.join(cells)} |\n"
