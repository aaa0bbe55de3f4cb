"""The comment under a pull request: the report on a verdict, and around it what only the run and the forge know."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.compare import report_text
from windtunnel.compare.comment_metadata import BEGIN, END, CommentMetadata
from windtunnel.compare.format import ComparisonReport, Overall, Verdict
from windtunnel.compare.report_markdown import render_markdown
from windtunnel.text import numbers
from windtunnel.text.escaping import code

MAX_COMMENT_LENGTH = 65_000
"""Characters; GitHub takes 65,536."""

SETTLED = frozenset({Overall.UNCHANGED, Overall.IMPROVED, Overall.SAME_ARTIFACT})
"""What ends an earlier complaint; an undecided comparison does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDuration:
    """How long a part of the way from push to comment took, in seconds."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentContext:
    """What the artifact cannot say, or would not be believed: it comes from the forge's interface."""

    metadata: CommentMetadata
    run_url: str = ""
    site_url: str = ""
    durations: tuple[StepDuration, ...] = ()
    failed_jobs: int = 0
    """Of the run; what these would have measured is missing, and the verdict cannot know."""
    earlier: tuple[str, ...] = ()


def needs_comment(report: ComparisonReport) -> bool:
    """Tell whether the author of a pull request should read of it; what is quiet gets no comment of its own."""
    moved = report.having(Verdict.REGRESSED) or report.having(Verdict.IMPROVED)
    return bool(moved or report.broken or _unmeasured(report))


def _unmeasured(report: ComparisonReport) -> bool:
    """Tell whether nothing was measured for another reason than that there is nothing, or that it failed before."""
    missing = report.coverage.planned > len(report.failing_before)
    return report.overall is Overall.NOTHING_MEASURED and (missing or bool(report.notes))


def is_resolved(report: ComparisonReport) -> bool:
    """Tell whether an earlier complaint no longer holds."""
    return report.overall in SETTLED and not report.broken


def render_comment(report: ComparisonReport, about: CommentContext) -> str:
    """Return the comment; verdict and action stand in its first two lines, the hidden marker in its last."""
    end = "\n".join(_end(report, about))
    room = MAX_COMMENT_LENGTH - len(end.encode("utf-16-le", errors="surrogatepass")) // 2
    text = render_markdown(report, room, about.site_url)
    if about.earlier and is_resolved(report) and not needs_comment(report):
        text = text.replace("## ", "## Resolved: ", 1)
    return f"{text}\n{end}\n{about.metadata}\n"


def counts(report: ComparisonReport) -> str:
    """Return in a line how many cases ended how; only what there is."""
    named = [(str(verdict), len(report.having(verdict))) for verdict in Verdict]
    named += [("failed", len(report.broken)), ("failing on base already", len(report.failing_before))]
    named += [("not measured", len(report.skipped) + len(report.incomparable))]
    named += [("new", len(report.added)), ("gone", len(report.removed))]
    return ", ".join(f"{number} {name}" for name, number in named if number) or "no cases"


def format_durations(durations: tuple[StepDuration, ...]) -> str:
    """Return where the time went."""
    return ", ".join(f"{one.name} {numbers.duration(one.seconds)}" for one in durations)


def _end(report: ComparisonReport, about: CommentContext) -> Iterator[str]:
    """Yield what follows the report, line by line."""
    parts = [f"Commit {code(about.metadata.head[:10])}: {counts(report)}"]
    if seen := report_text.seen(report):
        parts.append(f"a change of {seen} or more would have been seen in most of the unchanged")
    if about.site_url:
        parts.append(f"[history]({about.site_url})")
    if about.run_url:
        parts.append(f"[run]({about.run_url})")
    yield f"<sub>{' · '.join(parts)}</sub>\n"
    if about.durations:
        yield f"<sub>From push to this comment: {format_durations(about.durations)}</sub>\n"
    if about.failed_jobs:
        yield f"> Note: {_jobs(about.failed_jobs)} of the run failed, so not everything was measured\n"
    if _other_commit(report, about):
        own = code(about.metadata.head)
        yield f"> Note: the verdict says it is on {code(report.head, 60)}, the run was for {own}\n"
    if about.earlier:
        yield f"<details><summary>Earlier verdicts: {len(about.earlier)}</summary>\n\n{BEGIN}"
        yield from about.earlier
        yield f"{END}\n\n</details>\n"


def _jobs(number: int) -> str:
    return "1 job" if number == 1 else f"{number} jobs"


def _other_commit(report: ComparisonReport, about: CommentContext) -> bool:
    """Tell whether the artifact speaks of another commit than the run; a name instead of a hash says nothing."""
    return bool(re.fullmatch(r"[0-9a-f]{40}", report.head)) and report.head != about.metadata.head
