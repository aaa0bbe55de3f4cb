"""Render a report as Markdown, within the limits of GitHub: verdict, action, what changed, and folded details."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from windtunnel.compare import figures, summary
from windtunnel.compare.format import ArmSummary, Comparison, ComparisonReport, MissingKind, NotCompared, Verdict
from windtunnel.compare.kinds import DESK, QUIET, CommentContext, VerdictKind, decide_kind, first_words
from windtunnel.model.benchmark import CaseIdentity
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, code, fit_rows, plain, shorten, size

MAX_EXPLAINED = 5
"""Changed cases that are explained below the table; the others are folded."""

MAX_FUNCTIONS = 3
"""Functions that are named for a case."""

MAX_NOTES = 2
"""Notes on the cause of a case."""

MAX_SENTENCE_LENGTH = 400
"""Characters of a sentence with foreign text."""

WHY = "**Why:**\n\n"


def has_instructions(comparisons: Sequence[Comparison]) -> bool:
    """Return whether a table of *comparisons* has a column of instructions."""
    return any(one.instructions and one.instructions.relative_change is not None for one in comparisons)


def instruction_cell(one: Comparison) -> str:
    """Return the change of instructions with its interval below; empty without counts."""
    found = one.instructions
    if found is None or found.relative_change is None:
        return ""
    interval = figures.format_instructions_interval(found).replace(" ", "&nbsp;")
    return figures.format_instructions(found) + (f"<br><sub>{interval}</sub>" if interval else "")


def _foreign(text: str) -> str:
    return plain(text, MAX_SENTENCE_LENGTH)


def _name(text: str) -> str:
    return code(text, MAX_NAME_LENGTH)


def explain_case(one: Comparison, names: Mapping[str, str]) -> str:
    """Return an item of a list: the case, the joint sentence, and the functions that changed; empty if unknown."""
    joint, lines, label = figures.join_witnesses(one, _foreign), [*_functions(one)], figures.case_label(one)
    sentence = f": {joint}" if joint else ""
    item = [f"- {_name(names.get(label, label))}{sentence}\n", *(f"  - {line}\n" for line in lines)]
    return "".join(item) if joint or lines else ""


def _functions(one: Comparison) -> Iterator[str]:
    """Yield the functions that explain the change, and what is not explained."""
    if one.cause is None:
        return
    for function in one.cause.functions[:MAX_FUNCTIONS]:
        rest = function.sentence().removeprefix(function.name)
        space = " " if rest.startswith(" ") else ""  # which plain strips
        yield f"{_name(function.name)}{space}{_foreign(rest)}"
    yield from map(_foreign, one.cause.notes[:MAX_NOTES])


FILE = "verdict.json in the artifacts of the run"
"""Has everything that does not fit."""

PART_FAILED = "Part of the run failed. "
ACCEPTANCE_UNKNOWN = (
    "GitHub did not answer whether the label `perf-accepted` is set, so it does not count here. Repeat the job that "
    "comments."
)

MAX_VISIBLE_SHARE = 0.7
"""The share of the characters that visible rows may take."""

MAX_NAME_LENGTH = 72
"""Characters of a name in a table and in the headline; a longer one would push the figures off the page."""

MAX_VISIBLE_CHANGES = 20
"""Rows of changed cases that are not folded."""

MAX_NAME_IN_ADDRESS = 300
"""Characters of a benchmark's name in an address; a longer name gets no link."""

MAX_VISIBLE_FAILURES = 10
"""Failures that are not folded."""

CHANGES = "| change | benchmark case | before | after |\n|---|---|---:|---:|\n"
CHANGES_WITH_WORK = "| change | benchmark case | before | after | instructions |\n|---|---|---:|---:|---:|\n"
UNDECIDED = "| change so far | benchmark case | would have shown | to decide |\n|---|---|---:|---|\n"
UNCHANGED = "| change | benchmark case | smallest change that would show |\n|---|---|---:|\n"
TAILS = "| benchmark case | median of wall time | 95th percentile of wall time |\n|---|---:|---:|\n"

INSTRUCTIONS = (
    "**Instructions** are those that the code executes for one call, counted with several hash seeds; the range below "
    "has a confidence of 99 %. They explain a change in time and do not decide about it."
)

UNDECIDED_TITLES: Mapping[Verdict, str] = {
    "undecided": "undecided: a smaller change may have been missed",
    "inconclusive": "inconclusive: even a doubling may have been missed",
}

MISSING_TITLES: Mapping[MissingKind, str] = {
    "added": "new, so base has no value",
    "removed": "removed",
    "skipped": "not measured",
    "incomparable": "not comparable",
    "unaffected": "left out because the change cannot affect them",
}


@dataclass(frozen=True, slots=True)
class FoldedSection:
    """A part of the report that is folded."""

    title: str
    rows: Sequence[str]
    above: str = ""
    """The head of the table."""
    visible: int = 0
    """How many rows may stand unfolded; more are folded."""
    cases: int | None = None
    """The number with which the title begins: of rows, if it is not given; 0 for none."""


def render_markdown(report: ComparisonReport, longest: int = MAX_COMMENT_LENGTH, context: CommentContext = DESK) -> str:
    """Return the report, at most *longest* bytes; where there is nothing to do, advice is folded."""
    lead = first_words(report, context)
    part = PART_FAILED if context.failed_jobs and report.comparisons else ""
    action = summary.recommended_action(report, context.failed_jobs)
    if decide_kind(report, context) is VerdictKind.ACCEPTED:
        person = plain(context.accepted_by or "", 60)
        action = f"Nothing: {person} accepted the trade-off with the label `perf-accepted`."
    text = f"## {lead}{part}{summary.headline(report, _name)}\n\n"
    text += "" if (quiet := lead in QUIET) else f"**What to do:** {action}\n\n"
    closing = _closing(report, context, action if quiet and action != summary.NOTHING_TO_DO else "")
    notes = "".join(f"> {note}\n\n" for note in _notes(report, context))
    room = int(longest * MAX_VISIBLE_SHARE) - size(text) - size(notes)
    named = len({one.environment for one in report.comparisons}) > 1
    visible = _visible_changes(report)
    instructions = has_instructions([one for one in report.comparisons if one.significant])
    names = shorten([*map(figures.case_label, report.comparisons)], MAX_NAME_LENGTH)
    style = CaseStyle(environments=named, names=names, site=context.site_url, instructions=instructions)
    if rows := [_change_row(one, style) for one in visible[:MAX_VISIBLE_CHANGES]]:
        table = style.changes + fit_rows(rows, room, FILE) + "\n"
        text, room = text + table, room - size(table)
    if explained := _explained(report, names)[:MAX_EXPLAINED]:
        text += WHY + fit_rows(explained, room - size(WHY), FILE) + "\n"
    text += notes
    for section in _sections(report, style, visible[MAX_VISIBLE_CHANGES:]):
        text += _folded(section, (longest - size(text) - size(closing)) // 2)  # so that each one gets some room
    return text + closing


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStyle:
    """How cases are named."""

    environments: bool
    """Whether to add the environment."""
    names: Mapping[str, str]
    """The short name of each case."""
    site: str = ""
    """The address of the history site to link to; empty for no links."""
    instructions: bool = False
    """Whether tables of changes have a column of instructions."""

    @property
    def changes(self) -> str:
        """The head of a table of changes."""
        return CHANGES_WITH_WORK if self.instructions else CHANGES


def _notes(report: ComparisonReport, context: CommentContext) -> Iterator[str]:
    """Yield what the reader of the table has to know."""
    if context.head and re.fullmatch(r"[0-9a-f]{40}", report.head) and report.head != context.head:
        yield f"The verdict is on {code(report.head, 60)}, but the run was for {code(context.head)}."
    if context.accepted_by is None:
        yield ACCEPTANCE_UNKNOWN
    if report.common_change:
        yield summary.format_common_change(report.common_change, len(report.comparisons))
    for one in report.environment_failures[:5]:
        yield f"Nothing was measured in {code(one.name, 60)}: {plain(one.reason, 400)}"
    if explained := summary.explain_suite_changes(report):
        yield explained
    yield from summary.explain_reach(report, _name)
    yield from (f"Note: {plain(note, 400)}" for note in report.notes[:5])


def _visible_changes(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return what changed, the largest change first, except what followed the common change."""
    changed = report.having("regressed"), report.having("improved")
    return tuple(one for group in changed for one in figures.by_size(group) if not _follows_common_change(one, report))


def _explained(report: ComparisonReport, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return why each changed case changed, the largest change first, as far as it is known."""
    changed = _visible_changes(report) or figures.by_size(report.changed)
    return tuple(text for one in changed if (text := explain_case(one, names)))


def _follows_common_change(one: Comparison, report: ComparisonReport) -> bool:
    common = report.common_change
    return bool(common and one.interval and one.interval.low <= common.relative_change <= one.interval.high)


def _sections(report: ComparisonReport, style: CaseStyle, others: Sequence[Comparison]) -> Iterator[FoldedSection]:
    """Yield the folded sections, the most important first; *others* are the changes that the table leaves out."""
    common = [one for one in figures.by_size(report.changed) if _follows_common_change(one, report)]
    following = [_change_row(one, style) for one in common]
    unchanged = report.having("unchanged")
    small = [_change_row(one, style) for one in figures.by_size([one for one in unchanged if one.significant])]
    failed = report.failed_on_head
    yield FoldedSection("failed", _missing_rows(failed), visible=MAX_VISIBLE_FAILURES, cases=len(failed))
    beyond = [one for one in report.instruction_regressions if one.verdict not in {"regressed", "improved"}]
    title = "with more instructions than the settings allow"
    rows = [explain_case(one, style.names) for one in beyond]
    yield FoldedSection(title, rows, visible=MAX_VISIBLE_FAILURES)
    more = [_change_row(one, style) for one in others]
    yield FoldedSection("more that changed", more, above=style.changes)
    yield FoldedSection("changed like nearly all others", following, above=style.changes)
    yield FoldedSection("changed by less than their threshold", small, above=style.changes)
    yield FoldedSection("more explained", _explained(report, style.names)[MAX_EXPLAINED:])
    other_work = [explain_case(one, style.names) for one in figures.having_only_other_work(report) if one not in beyond]
    title = "with another number of instructions, but no relevant change in time"
    yield FoldedSection(title, other_work, visible=MAX_EXPLAINED)
    for verdict, title in UNDECIDED_TITLES.items():
        rows = [_undecided_row(one, report, style) for one in report.having(verdict)]
        yield FoldedSection(title, rows, above=UNDECIDED)
    failing = report.failed_on_base
    yield FoldedSection("failing on base already", _missing_rows(failing), cases=len(failing))
    for kind, title in MISSING_TITLES.items():
        yield FoldedSection(title, _missing_rows(report.missing(kind)), cases=len(report.missing(kind)))
    same = [_unchanged_row(one, style) for one in unchanged if not one.significant]
    yield FoldedSection("unchanged", same, above=UNCHANGED)
    tails = [row for one in report.changed if (row := _tail_row(one, style))]
    title = "Median and 95th percentile of what changed"
    yield FoldedSection(title, tails, above=TAILS, cases=0)


def _change_row(one: Comparison, style: CaseStyle) -> str:
    notes = "".join(f"<br>{plain(note)}" for note in one.notes[:3])
    change = (
        f"**{figures.format_change(one)}** {figures.format_direction(one)}"
        if one.verdict != "unchanged"
        else (f"**{figures.format_change(one)}**")
    )
    interval = figures.format_interval(one).replace(" ", "&nbsp;")
    limits = f"<br><sub>{interval}</sub>" if interval else ""
    before, after = _value(one.baseline, one.unit), _value(one.contender, one.unit)
    work = f" {instruction_cell(one)} |" if style.instructions else ""
    return f"| {change}{limits} | {_case(one, style, link=_link(one, style))}{notes} | {before} | {after} |{work}\n"


def _undecided_row(one: Comparison, report: ComparisonReport, style: CaseStyle) -> str:
    bound = figures.format_bound([one]) if one.verdict == "undecided" else "not even a doubling"
    notes = "".join(f"<br>{plain(note)}" for note in one.notes[:3])
    notes += f"<br>{joint}" if (joint := figures.join_witnesses(one, _foreign)) else ""
    stop = figures.format_stop(one, report)
    return f"| {_short_change(one)} | {_case(one, style)}{notes} | {bound} | {stop} |\n"


def _unchanged_row(one: Comparison, style: CaseStyle) -> str:
    detectable = "" if one.smallest_detectable is None else figures.format_share(one.smallest_detectable)
    return f"| {_short_change(one)} | {_case(one, style)} | {detectable} |\n"


def _short_change(one: Comparison) -> str:
    interval = figures.format_interval(one)
    return interval if interval not in {"", figures.EXACT} else figures.format_change(one)


def _tail_row(one: Comparison, style: CaseStyle) -> str:
    """Return the median and the 95th percentile of both commits; empty if they are not recorded."""
    arms = (one.baseline, one.contender)
    medians, p95s = [arm.median for arm in arms if arm.median], [arm.p95 for arm in arms if arm.p95]
    if one.kind != "time" or len(medians) < 2 or len(p95s) < 2:
        return ""
    pairs = ([figures.format_quantity(value, one.unit) for value in pair] for pair in (medians, p95s))
    shown = " | ".join(map(" \N{RIGHTWARDS ARROW} ".join, pairs))
    return f"| {_case(one, style, measured=False)} | {shown} |\n"


def _missing_rows(cases: Sequence[NotCompared]) -> list[str]:
    """Return a row for each case, or for all with one reason."""
    rows = []
    for name, number, one in figures.group_missing(cases):
        where = f" in {code(one.environment)}" if one.environment else ""
        reason = figures.format_reason(one, number)
        rows.append(f"- {code(name)}{where}{f': {plain(reason, 300)}' if reason else ''}\n")
    return rows


def _case(one: Comparison, style: CaseStyle, *, link: str = "", measured: bool = True) -> str:
    """Return the name of the case, and below it what was measured, in which environment, and how the suite changed."""
    shown = _name(style.names[figures.case_label(one)])
    below = (
        figures.format_measure(one) if measured else "",
        code(one.environment) if style.environments and one.environment else "",
        figures.SUITE_CHANGES.get(one.suite_change, ""),
    )
    known = " · ".join(part for part in below if part)
    return (f"[{shown}]({link})" if link else shown) + (f"<br><sub>{known}</sub>" if known else "")


def _link(one: CaseIdentity, style: CaseStyle) -> str:
    """Return the address of the benchmark's page (docs/explanation/site.md); empty if its name is too long."""
    name = quote(one.benchmark, safe="", errors="replace")
    usable = style.site and not {"?", "#"} & set(style.site) and len(name) <= MAX_NAME_IN_ADDRESS
    return f"{style.site.rstrip('/')}/?page=benchmark&name={name}" if usable else ""


def _value(arm: ArmSummary, unit: str) -> str:
    """Return the value of *arm*; an unknown unit is foreign text."""
    foreign = f" {plain(figures.foreign_unit(unit), 20)}".rstrip()
    return figures.format_quantity(arm.value, unit) + foreign


def _folded(section: FoldedSection, longest: int) -> str:
    """Return *section* with as many rows as fit; empty if it has none, or if its title does not fit."""
    if not section.rows:
        return ""
    number = len(section.rows) if section.cases is None else section.cases
    title = f"{number} {section.title}" if number else section.title
    state = " open" if len(section.rows) <= section.visible else ""
    start = f"<details{state}><summary>{title}</summary>\n\n{section.above}"
    end = "\n</details>\n\n"
    return start + rows + end if (rows := fit_rows(section.rows, longest - size(start) - size(end), FILE)) else ""


def _closing(report: ComparisonReport, context: CommentContext, advice: str) -> str:
    """Return the counts, the folded details of the measurement with *advice*, and which commits were compared."""
    timings = [f"From push to this comment: {context.timings}."] if context.timings else []
    details = "".join(f"- {line}\n" for line in (*filter(None, [advice]), *_details(report), *timings))
    folded = f"<details><summary>How this was measured</summary>\n\n{details}\n</details>\n\n" if details else ""
    commits = f"{code(figures.format_commit(report.head))} against {code(figures.format_commit(report.base))}"
    shown = (summary.format_counts(report), commits, render_links(context))
    return f"{folded}<sub>{' · '.join(filter(None, shown))}</sub>\n"


def render_links(context: CommentContext) -> str:
    """Return the links to comment, history and run, as far as they are known."""
    links = {"comment": context.comment_url, "history": context.site_url, "run": context.run_url}
    return " · ".join(f"[{name}]({url})" for name, url in links.items() if url)


def _details(report: ComparisonReport) -> Iterator[str]:
    """Yield what the figures mean, how sure they are, and what it took to get them."""
    if report.comparisons:
        yield "**Before** is base, **after** is head. **Change** is that of the value shown, with its range below it."
    used = {one.statistic for one in (report.changed or report.comparisons)}
    yield from (text for statistic, text in figures.STATISTICS.items() if statistic in used)
    yield from summary.explain_certainty(report)
    if has_instructions(report.comparisons):
        yield INSTRUCTIONS
    yield from (plain(one, 400) for one in figures.explain_uncounted(report))
    yield from summary.explain_cost(report)
    for machine in report.machines[:3]:
        yield f"Machine: {code(machine.name, 60)} {plain(machine.description, 100)}".rstrip()
    for one in report.environments[:3]:
        if one.base_python:
            yield f"Base ran with {code(one.base_python, 100)}, head with {code(one.head_python, 100)}."
        if one.differences:
            yield f"Dependencies differ in {code(one.name, 60)}: {plain(', '.join(one.differences), 300)}"
