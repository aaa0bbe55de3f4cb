"""Render the comment on a pull request and the text of its check, from a report and what GitHub states of the run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.compare.format import ComparisonReport, MissingKind, Overall, Verdict
from windtunnel.compare.report_markdown import render_markdown
from windtunnel.compare.report_text import format_detectable, headline
from windtunnel.text.escaping import code, cut, size, visible

MAX_BODY_LENGTH = 65_000
"""Characters in UTF-16 units; GitHub accepts 65,536."""

MAX_TITLE_LENGTH = 250
"""Characters of a check's title."""

RESOLVED = frozenset({Overall.UNCHANGED, Overall.IMPROVED, Overall.SAME_ARTIFACT})
"""Results that resolve an earlier regression; an inconclusive comparison does not."""

CHECK_RUNNING = "Measuring base and head"


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
    changed = report.having(Verdict.REGRESSED) or report.having(Verdict.IMPROVED)
    missing = report.coverage.planned > len(report.failed_on_base)
    unmeasured = report.overall is Overall.NOTHING_MEASURED and (missing or bool(report.notes))
    return bool(changed or report.failed_on_head or unmeasured)


def is_resolved(report: ComparisonReport) -> bool:
    """Return whether an earlier regression or failure no longer exists."""
    return report.overall in RESOLVED and not report.failed_on_head


def render_comment(report: ComparisonReport, context: CommentContext, footer: str = "") -> str:
    """Return the comment: headline and action come first, *footer* last."""
    end = "\n".join((*_after_report(report, context), footer))
    text = render_markdown(report, MAX_BODY_LENGTH - size(end), context.site_url)
    if context.follows_verdict and is_resolved(report) and not needs_comment(report):
        text = text.replace("## ", "## Resolved: ", 1)
    return f"{text}\n{end}"


def format_counts(report: ComparisonReport) -> str:
    """Return how many cases have each result, without those that do not occur."""
    named = [(str(verdict), len(report.having(verdict))) for verdict in Verdict]
    named += [("failed", len(report.failed_on_head)), ("failing on base already", len(report.failed_on_base))]
    named += [("not measured", len(report.skipped) + len(report.incomparable))]
    named += [(str(kind), len(report.missing(kind))) for kind in (MissingKind.ADDED, MissingKind.REMOVED)]
    return ", ".join(f"{number} {name}" for name, number in named if number) or "no cases"


def check_title(report: ComparisonReport, *, complete: bool = True) -> str:
    """Return the headline as plain text; *complete* is whether the whole run succeeded."""
    part = "" if complete else "Part of the run failed. "
    return cut(part + visible(str(headline(report)), MAX_TITLE_LENGTH), MAX_TITLE_LENGTH)


def check_summary(report: ComparisonReport) -> str:
    """Return the report as the summary of a check."""
    return render_markdown(report, MAX_BODY_LENGTH)


def check_title_without_verdict(conclusion: str | None) -> str:
    """Return the title for a run without a verdict; *conclusion* is GitHub's word for how the run ended."""
    match conclusion:
        case "cancelled":
            return "Cancelled before there was a verdict"
        case "skipped":
            return "Not requested"
        case "success" | "neutral":
            return "Nothing to compare"
        case _:
            return "The run failed before there was a verdict; see its log"


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
