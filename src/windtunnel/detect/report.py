"""Reports on detected changes: the newest event first, for a terminal and as Markdown; and what an event is about."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from windtunnel.detect import format as detected
from windtunnel.model.identity import case_name
from windtunnel.model.run import LevelShares
from windtunnel.model.target import natural_order
from windtunnel.text import numbers
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, code, fit_rows, plain, size, visible

MAX_EVENTS = 40
"""Events, and machine shifts, in a report for a terminal; the others are counted."""
MAX_CASES = 10
"""Cases of an event; the others are counted."""
MAX_NOTES = 5
MIN_TOO_SHORT = 0.5
"""The share of series that were not examined from which a report begins with it."""
COLUMNS = "| | case | environment | change | level | |\n|---|---|---|---:|---:|---|\n"
MAX_PYTHONS = 3
"""Pythons that are named; of more, the first and the last one are."""
MAX_PARTS = 2
"""Modules that are named, those with most cases; the others are counted."""


def render_terminal(found: detected.DetectedChanges) -> str:
    """Return the report on *found* as plain text."""
    return "".join(f"{line}\n" for line in _lines(found))


def render_markdown(found: detected.DetectedChanges, max_size: int = MAX_COMMENT_LENGTH) -> str:
    """Return the report on *found* as Markdown, at most *max_size* bytes."""
    text = f"## {plain(headline(found), 400)}\n\n"
    text += f"{plain(found.advice, 600)}\n\n" if found.advice else ""
    text += "".join(f"> Note: {plain(note, 400)}\n\n" for note in found.notes[:MAX_NOTES])
    skipped = f"{_skipped(found)}\n" if found.skipped else ""
    shifts = (f"**{plain(_where(shift))}**: {_shift_text(shift, code)}.\n\n" for shift in found.machine_shifts[::-1])
    sections = [*shifts, *(_section(event, found) for event in found.events[::-1])]
    return text + fit_rows(sections, max_size - size(text) - size(skipped), "changes.json") + skipped


def headline(found: detected.DetectedChanges) -> str:
    """Return the number of changes, in a line; before it, what was not examined, if that is much."""
    if is_mostly_short(found):
        return f"{not_examined(found)}. {_headline(found)}"
    return _headline(found)


def is_mostly_short(found: detected.DetectedChanges) -> bool:
    """Return whether much was not examined."""
    return 0 < found.too_short >= MIN_TOO_SHORT * found.series


def not_examined(found: detected.DetectedChanges) -> str:
    """Return how many series have too few values."""
    many = f"all {found.series}" if found.too_short == found.series else f"{found.too_short} of {found.series}"
    return f"Not examined: {many} series, because they have too few values"


def _headline(found: detected.DetectedChanges) -> str:
    examined = found.series - found.too_short
    if not found.changes and not found.machine_shifts:
        return f"No change of level in {examined} series over {found.commits} commits"
    regressed = sum(change.direction == "regressed" for change in found.changes)
    shifts = f"; {count(len(found.machine_shifts), 'machine shift')}" if found.machine_shifts else ""
    return (
        f"{regressed} regressed and {len(found.changes) - regressed} improved, in {count(len(found.events), 'event')}, "
        f"of {examined} series over {found.commits} commits{shifts}"
    )


def count(number: int, noun: str) -> str:
    """Return *number* with *noun*, in the plural where needed."""
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


def _lines(found: detected.DetectedChanges) -> Iterator[str]:
    yield headline(found)
    if found.advice:
        yield visible(found.advice, 600)
    yield from (visible(note, 400) for note in found.notes[:MAX_NOTES])
    for shift in found.machine_shifts[-MAX_EVENTS:][::-1]:
        yield ""
        yield f"{visible(_where(shift))}: {_shift_text(shift, visible)}"
    for event in found.events[-MAX_EVENTS:][::-1]:
        yield ""
        members = _members(event, found)
        yield f"{visible(_where(event))}: {visible(_title(event, members), 300)}"
        yield from map(_case_line, members[:MAX_CASES])
        if len(members) > MAX_CASES:
            yield f"  ... and {len(members) - MAX_CASES} more"
    if len(found.events) > MAX_EVENTS:
        yield ""
        yield f"... and {len(found.events) - MAX_EVENTS} older events"
    if found.skipped:
        yield ""
        yield _skipped(found)


def _case_line(change: detected.Change) -> str:
    values = filter(None, (_factor(change), _levels(change), _status(change)))
    name = f"{visible(case_name(change.benchmark, change.params), 72)} in {visible(change.environment, 36)}"
    return f"  {change.direction:9}  {name}  {visible('  '.join(values))}"


def _section(event: detected.ChangeEvent, found: detected.DetectedChanges) -> str:
    members = _members(event, found)
    rows = "".join(map(_row, members[:MAX_CASES]))
    more = f"\n... and {len(members) - MAX_CASES} more\n" if len(members) > MAX_CASES else ""
    return f"### {plain(_where(event))}: {plain(_title(event, members), 300)}\n\n{COLUMNS}{rows}{more}\n"


def _row(change: detected.Change) -> str:
    cells = (
        change.direction,
        code(case_name(change.benchmark, change.params)),
        code(change.environment, 60),
        _factor(change),
        plain(_levels(change), 60),
        _status(change),
    )
    return f"| {' | '.join(cells)} |\n"


def _members(event: detected.ChangeEvent, found: detected.DetectedChanges) -> list[detected.Change]:
    """Return the changes of *event*, the largest factor first."""
    ids = {*event.members}
    members = [change for change in found.changes if change.id in ids]
    return by_size(members)


def _where(commits: detected.ChangeCommits) -> str:
    """Return the most likely commit, its day, and the number of other candidates."""
    day = f", {commits.date[:10]}" if commits.date else ""
    others = commits.candidate_count - 1
    return f"{commits.commit[:10]}{day}{f', or one of {others} others' if others > 0 else ''}"


def _shift_text(shift: detected.MachineShift, escape: Callable[[str, int], str]) -> str:
    cases = f"{shift.shifted_cases} of {shift.total_cases} cases"
    return f"nearly all times on {escape(shift.machine, 40)} changed by {_factor(shift)}, {cases}"


def _title(event: detected.ChangeEvent, members: Sequence[detected.Change]) -> str:
    """Return what changed: how many cases of which part of the suite, on which Pythons, and by how much."""
    if not members:
        return _counts(event)
    largest = f", by up to {_factor(members[0])}" if len(members) > 1 and _factor(members[0]) else ""
    cause = f"{moved}: " if (moved := describe_moved(event.moved)) else ""
    return f"{cause}{describe_scope(members)}: {_counts(event)}{largest}"


def describe_moved(moved: detected.MovedBuild) -> str:
    """Return what moved at a change besides the project, without escaping; empty if nothing did."""
    packages = moved.packages[0] if moved.count == 1 else f"{moved.count} packages moved" if moved.count else ""
    return " and ".join(filter(None, (moved.python, packages)))


def _counts(event: detected.ChangeEvent) -> str:
    parts = ((event.regressed, "regressed"), (event.improved, "improved"))
    return ", ".join(f"{number} {what}" for number, what in parts if number) or "no relevant change"


def _factor(change: detected.Change | detected.MachineShift) -> str:
    """Return the factor of a change with its interval; empty where there is none."""
    if change.relative_change is None:
        return ""
    limits = None if change.interval is None else (1 + change.interval.low, 1 + change.interval.high)
    ratio = numbers.ratio(1 + change.relative_change, limits)
    return ratio.value + (f" ({ratio.interval})" if ratio.interval else "")


def _levels(change: detected.Change) -> str:
    if change.shares is not None:
        return format_shares(change.shares, change.unit)
    before, after = (
        numbers.quantity(value, None, change.unit or "unit").value for value in (change.before, change.after)
    )
    return f"{before} \N{RIGHTWARDS ARROW} {after}"


def _status(change: detected.Change) -> str:
    return "" if change.status == "current" else change.status


def _skipped(found: detected.DetectedChanges) -> str:
    return f"{len(found.skipped)} series were left out; changes.json gives the reasons"


def by_size(members: Iterable[detected.Change]) -> list[detected.Change]:
    """Return *members*, the largest factor first, upwards or downwards."""
    return sorted(members, key=lambda member: -detected.factor_size(member.relative_change))


def count_cases(members: Iterable[detected.Change]) -> int:
    """Return how many cases *members* are about; one that changed in several environments counts once."""
    return len({(member.benchmark, member.params) for member in members})


def common_part(benchmarks: Iterable[str]) -> str:
    """Return the part of the suite that all *benchmarks* belong to, or the only one of them; empty without one."""
    names = [name.split(".") for name in dict.fromkeys(benchmarks)]
    shared = itertools.takewhile(lambda levels: len({*levels}) == 1, zip(*names, strict=False))
    return ".".join(levels[0] for levels in shared)


def distinct_pythons(members: Iterable[detected.Change]) -> tuple[str, ...]:
    """Return the Pythons of *members*, oldest first."""
    return tuple(sorted({member.python for member in members if member.python}, key=natural_order))


def describe_scope(members: Sequence[detected.Change]) -> str:
    """Return the number of cases, the part of the suite and the Pythons, without escaping.

    For example ``14 cases of sorting.Sort on Python 3.11 and 3.12``.
    """
    pythons = _pythons(distinct_pythons(members))
    if count_cases(members) == 1:
        return f"{case_name(members[0].benchmark, members[0].params)}{pythons}"
    return f"{count_cases(members)} cases of {_part(members)}{pythons}"


def _part(members: Sequence[detected.Change]) -> str:
    if part := common_part(member.benchmark for member in members):
        return part
    cases: dict[str, set[tuple[str, ...]]] = {}
    for member in members:
        cases.setdefault(member.benchmark.partition(".")[0], set()).add((member.benchmark, *member.params))
    parts = sorted(cases, key=lambda part: (-len(cases[part]), part))
    if len(parts) <= MAX_PARTS:
        return " and ".join(parts)
    return f"{', '.join(parts[:MAX_PARTS])} and {numbers.count(len(parts) - MAX_PARTS, 'more module')}"


def _pythons(pythons: Sequence[str]) -> str:
    if not pythons:
        return ""
    if len(pythons) > MAX_PYTHONS:
        return f" on Python {pythons[0]} to {pythons[-1]}"
    *first, last = pythons
    return f" on Python {', '.join(first)} and {last}" if first else f" on Python {last}"


def format_shares(shares: LevelShares, unit: str | None) -> str:
    """Return how often the runs are on the upper of two levels, before and after, without escaping."""
    low, high = (numbers.quantity(level, None, unit or "unit").value for level in (shares.low, shares.high))
    arrow = "\N{RIGHTWARDS ARROW}"
    return f"{high} instead of {low} in {numbers.share(shares.before)} {arrow} {numbers.share(shares.after)} of runs"
