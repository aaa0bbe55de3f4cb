"""Render the comment on a pull request, and the title and summary of its check."""

from collections.abc import Sequence

from windtunnel.compare.format import ComparisonReport
from windtunnel.compare.kinds import DESK, CommentContext, VerdictKind, decide_kind
from windtunnel.compare.report_markdown import PART_FAILED, render_links, render_markdown
from windtunnel.compare.summary import headline
from windtunnel.text.escaping import cut, plain, size, visible

MAX_BODY_LENGTH = 65_000
"""Bytes; GitHub accepts 65,535."""

MAX_TITLE_LENGTH = 250
"""Characters of a check's title."""

CHECK_RUNNING = "Measuring base and head"
CHECK_WAITING = "Waits for a maintainer's approval"
CHECK_NOT_REQUESTED = "Not requested: the pull request does not have the label {}"
CHECK_EXPIRED = "No verdict: the run left none, or it has expired. The label benchmark measures again"
WITHOUT_VERDICT = {
    "cancelled": "Cancelled before there was a verdict",
    "skipped": "No verdict: the workflow skipped its jobs. The label benchmark measures",
    "success": CHECK_EXPIRED,
    "neutral": CHECK_EXPIRED,
}
"""The title of a check without a verdict, by how the run ended."""
CHECK_MERGE_QUEUE = "Measured on the pull request; the merge queue is not measured again"


def render_comment(report: ComparisonReport, context: CommentContext, footer: str = "") -> str:
    """Return the comment, with *footer* as its end; or the summary of the check, whose links GitHub would overwrite."""
    text = render_markdown(report, MAX_BODY_LENGTH - size(footer), context)
    return f"{text}\n{footer}" if footer else text


def check_title(report: ComparisonReport, context: CommentContext = DESK) -> str:
    """Return the headline as plain text, which says also if a part of the run failed, and who accepted a regression."""
    part = PART_FAILED if context.failed_jobs and report.comparisons else ""
    if decide_kind(report, context) is VerdictKind.ACCEPTED:
        part += f"Accepted by {visible(context.accepted_by or '', 60)}: "
    return cut(part + visible(headline(report), MAX_TITLE_LENGTH), MAX_TITLE_LENGTH)


def check_summary_without_verdict(text: str, context: CommentContext, failures: Sequence[str] = ()) -> str:
    """Return *text* with links as the summary for a run without a verdict; *failures* is what failed in which job."""
    return text + "".join(f"\n- {plain(one, 500)}" for one in failures) + f"\n\n{render_links(context)}"


def check_title_without_verdict(conclusion: str | None, failures: Sequence[str] = ()) -> str:
    """Return the title for a run without a verdict; *conclusion* is GitHub's word for how the run ended."""
    failed = "The run failed before there was a verdict; see its log"
    if failures:
        failed = cut(f"No verdict. {visible(failures[0], MAX_TITLE_LENGTH)}", MAX_TITLE_LENGTH)
    return WITHOUT_VERDICT.get(conclusion or "", failed)
