"""Render a report as Markdown, the comment on a pull request and the text of its check, within the limits of GitHub."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from msgspec.structs import replace

from windtunnel.compare.format import (
    ArmSummary,
    Comparison,
    ComparisonReport,
    MissingKind,
    NotCompared,
    Overall,
    Verdict,
)
from windtunnel.compare.report_text import (
    by_size,
    case_label,
    explain_suite_changes,
    foreign_unit,
    format_certainty,
    format_change,
    format_commit,
    format_common_change,
    format_counts,
    format_detectable,
    format_direction,
    format_reason,
    format_suite_change,
    format_value,
    headline,
    recommended_action,
)
from windtunnel.model.measure import CaseIdentity
from windtunnel.text import numbers
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, code, cut, fit_rows, plain, size, visible

FILE = "verdict.json"

MAX_VISIBLE_SHARE = 0.7
"""The share of the characters that visible rows may take."""

MAX_NAME_IN_ADDRESS = 300
"""Characters of a benchmark's name in an address; a longer name gets no link."""

MAX_VISIBLE_FAILURES = 10
"""Failures that are not folded."""

CHANGES = "| | case | before | after | change | confidence |\n|---|---|---:|---:|---:|---|\n"
INCONCLUSIVE = "| case | change so far | rounds needed | |\n|---|---:|---:|---|\n"
UNCHANGED = "| case | change | detectable change |\n|---|---:|---:|\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedSection:
    """A part of the report that is folded."""

    title: str
    rows: Sequence[str]
    above: str = ""
    """The head of the table."""
    unfolded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStyle:
    """How cases are named."""

    environments: bool
    """Whether to add the environment."""
    site: str = ""
    """The address of the history site to link to; empty for no links."""


def render_markdown(report: ComparisonReport, longest: int = MAX_COMMENT_LENGTH, site: str = "") -> str:
    """Return the report, at most *longest* characters (UTF-16 units, as GitHub counts them).

    Changed cases are linked to their history on *site*.
    """
    style = CaseStyle(environments=len({one.environment for one in report.comparisons}) > 1, site=site)
    text = _top(report)
    if rows := [_change_row(one, style) for one in _visible_changes(report)]:
        text += CHANGES + fit_rows(rows, int(longest * MAX_VISIBLE_SHARE) - size(text), FILE) + "\n"
    closing = _closing(report)
    for section in _sections(report, style):
        text += _folded(section, longest - size(text) - size(closing))
    return text + closing


def _top(report: ComparisonReport) -> str:
    head = headline(report)
    name = code(head.name) if head.name else ""
    text = f"## {head.lead}{name}{head.trail}\n\n**What to do:** {recommended_action(report)}\n\n"
    if report.common_change:
        text += f"> {format_common_change(report.common_change, len(report.comparisons))}\n\n"
    if explained := explain_suite_changes(report):
        text += f"> {explained}\n\n"
    return text + "".join(f"> Note: {plain(note, 400)}\n\n" for note in report.notes[:5])


def _visible_changes(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return what changed, the largest change first, except what followed the common change."""
    changed = report.having(Verdict.REGRESSED), report.having(Verdict.IMPROVED)
    return tuple(one for group in changed for one in by_size(group) if not _follows_common_change(one, report))


def _follows_common_change(one: Comparison, report: ComparisonReport) -> bool:
    common = report.common_change
    if common is None or common.removed or one.interval is None:
        return False
    return one.interval.low <= common.relative_change <= one.interval.high


def _sections(report: ComparisonReport, style: CaseStyle) -> Iterator[FoldedSection]:
    """Yield the folded sections, the most important first."""
    changed = report.having(Verdict.REGRESSED) + report.having(Verdict.IMPROVED)
    following = [_change_row(one, style) for one in changed if _follows_common_change(one, report)]
    unchanged = report.having(Verdict.UNCHANGED)
    small = [_change_row(one, style) for one in by_size([one for one in unchanged if one.significant])]
    inconclusive = [_inconclusive_row(one, style) for one in report.having(Verdict.INCONCLUSIVE)]
    failed = [_missing_row(one) for one in report.failed_on_head]
    yield FoldedSection(title="failed", rows=failed, unfolded=len(failed) <= MAX_VISIBLE_FAILURES)
    yield FoldedSection(title="changed by the common factor", rows=following, above=CHANGES)
    yield FoldedSection(title="changed by less than their threshold", rows=small, above=CHANGES)
    yield FoldedSection(title="inconclusive", rows=inconclusive, above=INCONCLUSIVE)
    yield FoldedSection(title="failing on base already", rows=[_missing_row(one) for one in report.failed_on_base])
    for kind in MissingKind:
        if kind is not MissingKind.FAILED:
            yield FoldedSection(title=kind, rows=[_missing_row(one) for one in report.missing(kind)])
    others = [_unchanged_row(one, style) for one in unchanged if not one.significant]
    yield FoldedSection(title="unchanged", rows=others, above=UNCHANGED)


def _change_row(one: Comparison, style: CaseStyle) -> str:
    notes = "".join(f"<br>{plain(note)}" for note in one.notes[:3])
    case = _case(one, style, link=_link(one, style))
    before, after = _value(one.baseline, one.unit), _value(one.contender, one.unit)
    return (
        f"| {format_direction(one)} | {case}{notes} | {before} | {after} "
        f"| {format_change(one)} | {format_certainty(one)} |\n"
    )


def _inconclusive_row(one: Comparison, style: CaseStyle) -> str:
    needed = "unknown" if one.rounds_needed is None else f"{one.rounds_needed} more"
    notes = "; ".join(plain(note) for note in one.notes[:3])
    return f"| {_case(one, style)} | {format_change(one)} | {needed} | {notes} |\n"


def _unchanged_row(one: Comparison, style: CaseStyle) -> str:
    detectable = "" if one.smallest_detectable is None else numbers.share(one.smallest_detectable)
    return f"| {_case(one, style)} | {format_change(one)} | {detectable} |\n"


def _missing_row(one: NotCompared) -> str:
    where = f" in {code(one.environment)}" if one.environment else ""
    reason = format_reason(one)
    return f"- {code(case_label(one))}{where}{f': {plain(reason, 300)}' if reason else ''}\n"


def _case(one: Comparison, style: CaseStyle, link: str = "") -> str:
    shown = code(case_label(one))
    marked = (f"[{shown}]({link})" if link else shown) + format_suite_change(one)
    return marked + (f"<br>{code(one.environment)}" if style.environments else "")


def _link(one: CaseIdentity, style: CaseStyle) -> str:
    """Return the address of the benchmark's page (docs/explanation/site.md); empty if its name is too long."""
    name = quote(one.benchmark, safe="", errors="replace")
    usable = style.site and not {"?", "#"} & set(style.site) and len(name) <= MAX_NAME_IN_ADDRESS
    return f"{style.site.rstrip('/')}/?page=benchmark&name={name}" if usable else ""


def _value(arm: ArmSummary, unit: str) -> str:
    """Return the value of *arm* and its 95th percentile; an unknown unit is foreign text."""
    foreign = f" {plain(foreign_unit(unit), 20)}".rstrip()
    tail = "" if arm.p95 is None else f"<br>p95 {format_value(replace(arm, value=arm.p95), unit)}"
    return format_value(arm, unit) + foreign + tail


def _folded(section: FoldedSection, longest: int) -> str:
    """Return *section* with as many rows as fit; empty if it has none, or if its title does not fit."""
    if not section.rows:
        return ""
    title = f"<summary>{len(section.rows)} {section.title}</summary>"
    start = f"<details{' open' if section.unfolded else ''}>{title}\n\n{section.above}"
    end = "\n</details>\n\n"
    return start + rows + end if (rows := fit_rows(section.rows, longest - size(start) - size(end), FILE)) else ""


def _closing(report: ComparisonReport) -> str:
    """Return one line: what was compared, where, and the error rates."""
    coverage, budget, aa = report.coverage, report.budget, report.aa
    parts = [
        f"{code(format_commit(report.base))} against {code(format_commit(report.head))}",
        f"{coverage.compared} of {coverage.planned} cases compared",
    ]
    error = numbers.share(report.rules.confirmation.error)
    parts += [f"at most {error} of comparisons raise a false alarm"] if report.rules.confirm else []
    parts += [f"{budget.processes} processes"] if budget.processes else []
    parts += [numbers.duration(budget.seconds)] if budget.seconds is not None else []
    parts += [f"A/A: {aa.alarms} of {aa.comparisons} false alarms"] if aa.comparisons else []
    parts += [f"on {code(one.name, 60)} {plain(one.description, 100)}".strip() for one in report.machines[:3]]
    parts += [
        f"base ran with {code(one.base_python, 100)}, head with {code(one.head_python, 100)}"
        for one in report.environments[:3]
        if one.base_python
    ]
    parts += [
        f"dependencies differ in {code(one.name, 60)}: {plain(', '.join(one.differences), 300)}"
        for one in report.environments[:3]
        if one.differences
    ]
    return f"<sub>{' · '.join(parts)}</sub>\n"


MAX_BODY_LENGTH = 65_000
"""Characters in UTF-16 units; GitHub accepts 65,536."""


RESOLVED = frozenset({Overall.UNCHANGED, Overall.IMPROVED, Overall.SAME_ARTIFACT})
"""Results that resolve an earlier regression; an inconclusive comparison does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentContext:
    """What GitHub states about the run; the artifact cannot state it, or is not trusted to."""

    head: str
    """The commit of the run."""
    run_url: str = ""
    """The page of the run."""
    site_url: str = ""
    """The history site."""
    timings: str = ""
    """How long each step from push to comment took."""
    failed_jobs: int = 0
    """The failed jobs of the run, whose measurements are missing."""
    follows_verdict: bool = False
    """Whether the comment replaces an earlier verdict."""


def needs_comment(report: ComparisonReport) -> bool:
    """Return whether the author of a pull request needs a comment if there is none yet."""
    if report.is_irrelevant:
        return False
    changed = report.having(Verdict.REGRESSED) or report.having(Verdict.IMPROVED)
    missing = report.coverage.planned > len(report.failed_on_base)
    unmeasured = report.overall is Overall.NOTHING_MEASURED and (missing or bool(report.notes))
    return bool(changed or report.failed_on_head or unmeasured)


def is_resolved(report: ComparisonReport) -> bool:
    """Return whether an earlier regression or failure no longer exists."""
    return (report.overall in RESOLVED and not report.failed_on_head) or report.is_irrelevant


def render_comment(report: ComparisonReport, context: CommentContext, footer: str = "") -> str:
    """Return the comment: headline and action come first, *footer* last."""
    end = "\n".join((*_after_report(report, context), footer))
    text = render_markdown(report, MAX_BODY_LENGTH - size(end), context.site_url)
    if context.follows_verdict and is_resolved(report) and not needs_comment(report):
        text = text.replace("## ", "## Resolved: ", 1)
    return f"{text}\n{end}"


def _after_report(report: ComparisonReport, context: CommentContext) -> Iterator[str]:
    """Yield the lines below the report."""
    parts = [f"Commit {code(context.head[:10])}: {format_counts(report)}"]
    if detectable := format_detectable(report):
        parts.append(f"a change of {detectable} or more would show in most unchanged cases")
    if context.site_url:
        parts.append(f"[history]({context.site_url})")
    if context.run_url:
        parts.append(f"[run]({context.run_url})")
    yield f"<sub>{' · '.join(parts)}</sub>\n"
    if context.timings:
        yield f"<sub>From push to this comment: {context.timings}</sub>\n"
    if context.failed_jobs:
        jobs = "1 job" if context.failed_jobs == 1 else f"{context.failed_jobs} jobs"
        yield f"> Note: {jobs} of the run failed, so not everything was measured\n"
    if re.fullmatch(r"[0-9a-f]{40}", report.head) and report.head != context.head:
        yield f"> Note: the verdict is on {code(report.head, 60)}, but the run was for {code(context.head)}\n"


MAX_TITLE_LENGTH = 250
"""Characters of a check's title."""


CHECK_RUNNING = "Measuring base and head"
CHECK_WAITING = "Waits for a maintainer's approval"
CHECK_MERGE_QUEUE = "Measured on the pull request; the merge queue is not measured again"


def check_title(report: ComparisonReport, *, complete: bool = True) -> str:
    """Return the headline as plain text; *complete* is whether the whole run succeeded."""
    part = "" if complete else "Part of the run failed. "
    return cut(part + visible(str(headline(report)), MAX_TITLE_LENGTH), MAX_TITLE_LENGTH)


def check_summary(report: ComparisonReport) -> str:
    """Return the report as the summary of a check."""
    return render_markdown(report, MAX_BODY_LENGTH)


def check_summary_without_verdict(conclusion: str | None, failures: Sequence[str]) -> str:
    """Return the summary for a run without a verdict; *failures* is what failed in which job."""
    return check_title_without_verdict(conclusion) + "".join(f"\n- {plain(one, 500)}" for one in failures)


def check_title_without_verdict(conclusion: str | None, failures: Sequence[str] = ()) -> str:
    """Return the title for a run without a verdict; *conclusion* is GitHub's word for how the run ended."""
    match conclusion:
        case "cancelled":
            return "Cancelled before there was a verdict"
        case "skipped":
            return "Not requested"
        case "success" | "neutral":
            return "Nothing to compare"
        case _ if failures:
            return cut(f"No verdict. {visible(failures[0], MAX_TITLE_LENGTH)}", MAX_TITLE_LENGTH)
        case _:
            return "The run failed before there was a verdict; see its log"
