"""What a check-run says: a title that fits a line, and a summary in Markdown."""

from windtunnel.compare.format import ComparisonReport
from windtunnel.compare.report_markdown import render_markdown
from windtunnel.compare.report_text import headline
from windtunnel.text.escaping import cut, visible

LONGEST_TITLE = 250
LONGEST_SUMMARY = 65_000

CHECK_RUNNING = "Measuring base and head"


def check_title(report: ComparisonReport, *, complete: bool = True) -> str:
    """Return the headline as the plain text that titles of check-runs are."""
    part = "" if complete else "Part of the run failed. "
    return cut(part + visible(str(headline(report)), LONGEST_TITLE), LONGEST_TITLE)


def check_summary(report: ComparisonReport) -> str:
    """Return the whole report."""
    return render_markdown(report, LONGEST_SUMMARY)


def check_title_without_verdict(conclusion: str | None) -> str:
    """Return the title for a run that left no verdict, by how GitHub says it ended."""
    match conclusion:
        case "cancelled":
            return "Cancelled before there was a verdict"
        case "skipped":
            return "Not asked for"
        case "success" | "neutral":
            return "Nothing to compare"
        case _:
            return "The run failed before there was a verdict; its log says why"
