"""Render the comment on a pull request, and the title and summary of its check."""

from collections.abc import Sequence

from windtunnel.compare.format import RULES_CHANGED, ComparisonReport
from windtunnel.compare.report_markdown import (
    PART_FAILED,
    CommentContext,
    render_links,
    render_markdown,
)
from windtunnel.compare.summary import NO_ACTION, RESOLVED, headline
from windtunnel.text.escaping import cut, plain, size, visible

MAX_BODY_LENGTH = 65_000
"""Bytes; GitHub accepts 65,535."""

MAX_TITLE_LENGTH = 250
"""Characters of a check's title."""

CHECK_RUNNING = "Measuring base and head"
CHECK_WAITING = "Waits for a maintainer's approval"
CHECK_NOT_REQUESTED = "Not requested: the pull request does not have the label {}"
CHECK_MERGE_QUEUE = "Measured on the pull request; the merge queue is not measured again"

RESOLVING = frozenset({"unchanged", "improved", "same_artifact"})
"""Results that resolve an earlier regression; an undecided or inconclusive comparison does not."""


def needs_comment(report: ComparisonReport) -> bool:
    """Return whether the author of a pull request needs a comment if there is none yet."""
    if report.is_irrelevant:
        return False
    missing = report.coverage.planned > len(report.failed_on_base)
    explained = report.notes or report.environment_failures
    unmeasured = report.overall == "nothing_measured" and (missing or bool(explained))
    other_rules = RULES_CHANGED in report.notes
    beyond = report.instruction_regressions
    return bool(report.having("regressed") or beyond or report.breaks_cases or unmeasured or other_rules)


def is_resolved(report: ComparisonReport) -> bool:
    """Return whether an earlier regression or failure no longer exists."""
    whole = not (report.failed_on_head or report.environment_failures or report.instruction_regressions)
    return (report.overall in RESOLVING and whole) or report.is_irrelevant


def render_comment(report: ComparisonReport, context: CommentContext, footer: str = "") -> str:
    """Return the comment: headline and action come first, *footer* last."""
    return f"{render_markdown(report, MAX_BODY_LENGTH - size(footer), context, _lead(report, context))}\n{footer}"


def _lead(report: ComparisonReport, context: CommentContext) -> str:
    """Return the first words of the headline: whether the reader must act."""
    if context.conclusion == "failure":
        return "Blocks merging: "
    if context.accepted_by:
        return "Accepted: "
    resolved = is_resolved(report) and not needs_comment(report) and not context.failed_jobs
    if context.follows_verdict and resolved:
        return RESOLVED
    if not context.conclusion:
        return ""
    must = report.fails_gate or report.environment_failures or report.overall == "nothing_measured"
    return "Does not block merging: " if must and not report.is_irrelevant else NO_ACTION


def check_title(report: ComparisonReport, *, complete: bool = True, accepted_by: str = "") -> str:
    """Return the headline as plain text; *complete* is whether the whole run succeeded."""
    part = "" if complete or not report.comparisons else PART_FAILED
    part += f"Accepted by {visible(accepted_by, 60)}: " if accepted_by else ""
    return cut(part + visible(headline(report), MAX_TITLE_LENGTH), MAX_TITLE_LENGTH)


def check_summary(report: ComparisonReport, context: CommentContext) -> str:
    """Return the report as the summary of a check; its links stand here, as GitHub sets those of the check itself."""
    return render_markdown(report, MAX_BODY_LENGTH, context, _lead(report, context))


def check_summary_without_verdict(text: str, context: CommentContext, failures: Sequence[str] = ()) -> str:
    """Return *text* with links as the summary for a run without a verdict; *failures* is what failed in which job."""
    return text + "".join(f"\n- {plain(one, 500)}" for one in failures) + f"\n\n{render_links(context)}"


def check_title_without_verdict(conclusion: str | None, failures: Sequence[str] = ()) -> str:
    """Return the title for a run without a verdict; *conclusion* is GitHub's word for how the run ended."""
    match conclusion:
        case "cancelled":
            return "Cancelled before there was a verdict"
        case "skipped":
            return "No verdict: the workflow skipped its jobs. The label benchmark measures"
        case "success" | "neutral":
            return "No verdict: the run left none, or it has expired. The label benchmark measures again"
        case _ if failures:
            return cut(f"No verdict. {visible(failures[0], MAX_TITLE_LENGTH)}", MAX_TITLE_LENGTH)
        case _:
            return "The run failed before there was a verdict; see its log"
