"""A verdict as Markdown for a pull request: what changed is open, all else is folded, and it always fits a comment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from windtunnel.compare import report_text
from windtunnel.compare.format import ArmSummary, Comparison, ComparisonReport, NotCompared, Verdict
from windtunnel.compare.report_text import headline
from windtunnel.model.measure import CaseIdentity
from windtunnel.text import numbers
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, code, fit_rows, plain, size

FILE = "verdict.json"

OPEN_SHARE = 0.7
"""Of the characters, how many the rows that are not folded may take."""

MAX_ADDRESS_LENGTH = 300
"""Characters of a benchmark's name in an address."""

FEW = 10
"""Failures that are shown unfolded."""

UNDECIDED = "| case | change so far | rounds needed | |\n|---|---:|---:|---|\n"
UNCHANGED = "| case | change | would have been seen |\n|---|---:|---:|\n"
COLUMNS = "| | case | before | after | change | confidence |\n|---|---|---:|---:|---:|---|\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedSection:
    """A part that is folded: a *title* of ours, what stands *above* its rows, and the rows."""

    title: str
    rows: Sequence[str]
    above: str = ""
    unfolded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStyle:
    """How cases are named: with their environment or not, and linked to the history *site* where there is one."""

    environments: bool
    site: str = ""


def render_markdown(report: ComparisonReport, longest: int = MAX_COMMENT_LENGTH, site: str = "") -> str:
    """Return the report on *judgement*, at most *longest* characters (UTF-16 units, as GitHub counts).

    What changed is linked to its history on *site*.
    """
    cases = CaseStyle(environments=len({one.environment for one in report.comparisons}) > 1, site=site)
    text = _top(report)
    if rows := [_row(one, cases) for one in _open(report)]:
        text += COLUMNS + fit_rows(rows, int(longest * OPEN_SHARE) - size(text), FILE) + "\n"
    closing = _closing(report)
    for section in _sections(report, cases):
        text += _folded(section, longest - size(text) - size(closing))
    return text + closing


def _top(report: ComparisonReport) -> str:
    head = headline(report)
    name = code(head.name) if head.name else ""
    text = f"## {head.lead}{name}{head.trail}\n\n**What to do:** {report_text.action(report)}\n\n"
    if report.common_change:
        text += f"> {report_text.common(report.common_change, len(report.comparisons))}\n\n"
    return text + "".join(f"> Note: {plain(note, 400)}\n\n" for note in report.notes[:5])


def _open(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return what changed, the worst first; without what only moved along with everything else."""
    changed = report.having(Verdict.REGRESSED), report.having(Verdict.IMPROVED)
    return tuple(one for group in changed for one in report_text.by_size(group) if not _along(one, report))


def _along(one: Comparison, report: ComparisonReport) -> bool:
    common = report.common_change
    if common is None or common.removed or one.interval is None:
        return False
    return one.interval.low <= common.relative_change <= one.interval.high


def _sections(report: ComparisonReport, cases: CaseStyle) -> Iterator[FoldedSection]:
    """Yield the folded parts, what needs an eye first."""
    moved = report.having(Verdict.REGRESSED) + report.having(Verdict.IMPROVED)
    along = [one for one in moved if _along(one, report)]
    still = report.having(Verdict.UNCHANGED)
    small = report_text.by_size([one for one in still if one.significant])
    undecided = report.having(Verdict.INCONCLUSIVE)
    broken = [_missing(one) for one in report.broken]
    yield FoldedSection(title="failed", rows=broken, unfolded=len(broken) <= FEW)
    yield FoldedSection(title="moved with everything else", rows=[_row(one, cases) for one in along], above=COLUMNS)
    yield FoldedSection(
        title="really changed, but by less than their threshold",
        rows=[_row(one, cases) for one in small],
        above=COLUMNS,
    )
    yield FoldedSection(title="undecided", rows=[_undecided(one, cases) for one in undecided], above=UNDECIDED)
    yield FoldedSection(title="failing on base already", rows=[_missing(one) for one in report.failing_before])
    for title in ("added", "removed", "incomparable", "skipped"):
        yield FoldedSection(title=title, rows=[_missing(one) for one in getattr(report, title)])
    plainly = [one for one in still if not one.significant]
    yield FoldedSection(title="unchanged", rows=[_unchanged(one, cases) for one in plainly], above=UNCHANGED)


def _row(one: Comparison, cases: CaseStyle) -> str:
    notes = "".join(f"<br>{plain(note)}" for note in one.notes[:3])
    case = _case(one, cases, link=_link(one, cases))
    return (
        f"| {report_text.word(one)} | {case}{notes} | {_value(one.baseline, one.unit)} "
        f"| {_value(one.contender, one.unit)} | {report_text.changed(one)} | {report_text.certainty(one)} |\n"
    )


def _undecided(one: Comparison, cases: CaseStyle) -> str:
    needed = "unknown" if one.rounds_needed is None else f"{one.rounds_needed} more"
    notes = "; ".join(plain(note) for note in one.notes[:3])
    return f"| {_case(one, cases)} | {report_text.changed(one)} | {needed} | {notes} |\n"


def _unchanged(one: Comparison, cases: CaseStyle) -> str:
    size = "" if one.smallest_detectable is None else numbers.share(one.smallest_detectable)
    return f"| {_case(one, cases)} | {report_text.changed(one)} | {size} |\n"


def _missing(one: NotCompared) -> str:
    where = f" in {code(one.environment)}" if one.environment else ""
    why = report_text.why(one)
    return f"- {code(report_text.name(one))}{where}{f': {plain(why, 300)}' if why else ''}\n"


def _case(one: CaseIdentity, cases: CaseStyle, link: str = "") -> str:
    shown = code(report_text.name(one))
    return (f"[{shown}]({link})" if link else shown) + (f"<br>{code(one.environment)}" if cases.environments else "")


def _link(one: CaseIdentity, cases: CaseStyle) -> str:
    """Return the page of its benchmark (site.md); none where the name is longer than addresses should be."""
    name = quote(one.benchmark, safe="", errors="replace")
    usable = cases.site and not {"?", "#"} & set(cases.site) and len(name) <= MAX_ADDRESS_LENGTH
    return f"{cases.site.rstrip('/')}/?page=benchmark&name={name}" if usable else ""


def _value(side: ArmSummary, unit: str) -> str:
    """Return the value of *side*; a unit that is not ours is foreign text."""
    foreign = f" {plain(report_text.foreign(unit), 20)}".rstrip()
    tail = "" if side.p95 is None else f"<br>p95 {report_text.value(replace(side, value=side.p95), unit)}"
    return report_text.value(side, unit) + foreign + tail


def _folded(section: FoldedSection, longest: int) -> str:
    """Return *section* with as many rows as fit; nothing where it has none, or where not even its title fits."""
    if not section.rows:
        return ""
    title = f"<summary>{len(section.rows)} {section.title}</summary>"
    start = f"<details{' open' if section.unfolded else ''}>{title}\n\n{section.above}"
    end = "\n</details>\n\n"
    return start + rows + end if (rows := fit_rows(section.rows, longest - size(start) - size(end), FILE)) else ""


def _closing(report: ComparisonReport) -> str:
    """Return what was compared, where, and what the error rates are: one line."""
    coverage, budget, aa = report.coverage, report.budget, report.aa
    parts = [
        f"{code(report_text.commit(report.base))} against {code(report_text.commit(report.head))}",
        f"{coverage.compared} of {coverage.planned} cases compared",
    ]
    error = numbers.share(report.rules.confirmation.error)
    parts += [f"at most {error} of comparisons raise a false alarm"] if report.rules.confirm else []
    parts += [f"{budget.processes} processes"] if budget.processes else []
    parts += [numbers.duration(budget.seconds)] if budget.seconds is not None else []
    parts += [f"A/A: {aa.alarms} of {aa.comparisons} alarmed"] if aa.comparisons else []
    parts += [f"on {code(one.name, 60)} {plain(one.description, 100)}".strip() for one in report.machines[:3]]
    parts += [
        f"dependencies differ in {code(one.name, 60)}: {plain(', '.join(one.differences), 300)}"
        for one in report.environments[:3]
        if one.differences
    ]
    return f"<sub>{' · '.join(parts)}</sub>\n"
