"""The comment under a pull request: the report on a verdict, and around it what only the run and the forge know."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from windtunnel.compare import report_text
from windtunnel.compare.format import ComparisonReport, Overall, Verdict
from windtunnel.compare.report_markdown import render_markdown
from windtunnel.compare.report_text import headline
from windtunnel.errors import UsageError
from windtunnel.text import numbers
from windtunnel.text.escaping import code, cut, visible

MAX_COMMENT_LENGTH = 65_000
"""Characters; GitHub takes 65,536."""

SETTLED = frozenset({Overall.UNCHANGED, Overall.IMPROVED, Overall.SAME_ARTIFACT})
"""What ends an earlier complaint; an undecided comparison does not."""


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
    """Where the time from push to comment went."""
    failed_jobs: int = 0
    """Jobs of the run that failed; what they would have measured is missing."""
    follows_verdict: bool = False
    """Whether the comment replaces an earlier verdict."""


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


def render_comment(report: ComparisonReport, context: CommentContext, footer: str = "") -> str:
    """Return the comment: verdict and action in its first two lines, *footer* at its end."""
    end = "\n".join((*_end(report, context), footer))
    room = MAX_COMMENT_LENGTH - len(end.encode("utf-16-le", errors="surrogatepass")) // 2
    text = render_markdown(report, room, context.site_url)
    if context.follows_verdict and is_resolved(report) and not needs_comment(report):
        text = text.replace("## ", "## Resolved: ", 1)
    return f"{text}\n{end}"


def counts(report: ComparisonReport) -> str:
    """Return in a line how many cases ended how; only what there is."""
    named = [(str(verdict), len(report.having(verdict))) for verdict in Verdict]
    named += [("failed", len(report.broken)), ("failing on base already", len(report.failing_before))]
    named += [("not measured", len(report.skipped) + len(report.incomparable))]
    named += [("new", len(report.added)), ("gone", len(report.removed))]
    return ", ".join(f"{number} {name}" for name, number in named if number) or "no cases"


def _end(report: ComparisonReport, context: CommentContext) -> Iterator[str]:
    """Yield what follows the report, line by line."""
    parts = [f"Commit {code(context.head[:10])}: {counts(report)}"]
    if seen := report_text.seen(report):
        parts.append(f"a change of {seen} or more would have been seen in most of the unchanged")
    if context.site_url:
        parts.append(f"[history]({context.site_url})")
    if context.run_url:
        parts.append(f"[run]({context.run_url})")
    yield f"<sub>{' · '.join(parts)}</sub>\n"
    if context.timings:
        yield f"<sub>From push to this comment: {context.timings}</sub>\n"
    if context.failed_jobs:
        yield f"> Note: {_jobs(context.failed_jobs)} of the run failed, so not everything was measured\n"
    if _other_commit(report, context):
        own = code(context.head)
        yield f"> Note: the verdict says it is on {code(report.head, 60)}, the run was for {own}\n"


def _jobs(number: int) -> str:
    return "1 job" if number == 1 else f"{number} jobs"


def _other_commit(report: ComparisonReport, context: CommentContext) -> bool:
    """Tell whether the artifact speaks of another commit than the run; a name instead of a hash says nothing."""
    return bool(re.fullmatch(r"[0-9a-f]{40}", report.head)) and report.head != about.metadata.head


KEY = re.compile(r"[A-Za-z0-9_.-]{1,60}")
LINE = re.compile(r"<!-- windtunnel:verdict key=([A-Za-z0-9_.-]+) head=([0-9a-f]{7,64}) run=(\d{1,18})\.(\d{1,6}) -->")
EARLIER = re.compile(r"^- `[0-9a-f]{7,10}`: .*$", re.MULTILINE)
HEADLINE = re.compile(r"\A## (.*)$", re.MULTILINE)
BEGIN, END = "<!-- windtunnel:earlier -->", "<!-- windtunnel:earlier-end -->"

MOST_EARLIER, LONGEST_EARLIER = 10, 4000
"""Earlier verdicts that stay in a comment, and how many characters they may take together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentMetadata:
    """Which comment it is (*key*; a repository may have several suites) and which run of a workflow wrote it."""

    key: str
    head: str
    run: int = 0
    attempt: int = 1

    def __post_init__(self) -> None:
        """Refuse what would not be found again."""
        if not KEY.fullmatch(self.key):
            raise UsageError(f"--key {self.key[:80]!r} is no name; use up to 60 letters, digits, and . _ -")

    @property
    def order(self) -> tuple[int, int]:
        """Return what is larger for a later run: GitHub's ids grow."""
        return self.run, self.attempt

    def __str__(self) -> str:
        """Return the hidden line."""
        return f"<!-- windtunnel:verdict key={self.key} head={self.head} run={self.run}.{self.attempt} -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedVerdict:
    """A comment of ours, read back: its marker, its headline and the earlier verdicts it lists, newest first."""

    metadata: CommentMetadata
    headline: str
    earlier: tuple[str, ...]

    @classmethod
    def read(cls, body: str, key: str) -> Self | None:
        """Return what *body* says, None where it bears no marker for *key*; the last line counts."""
        text = body.replace("\r\n", "\n")
        found = LINE.fullmatch(text.rstrip().rpartition("\n")[2])
        if found is None or found[1] != key:
            return None
        headline = HEADLINE.search(text)
        listed = text.partition(BEGIN)[2].partition(END)[0]
        return cls(
            metadata=CommentMetadata(key=key, head=found[2], run=int(found[3]), attempt=int(found[4])),
            headline=headline[1] if headline else "",
            earlier=tuple(EARLIER.findall(listed)),
        )

    def history(self, head: str) -> tuple[str, ...]:
        """Return the verdicts that are earlier than the one on *head*, newest first, as many as a comment keeps."""
        own = (f"- `{self.metadata.head[:10]}`: {self.headline}",) if self.headline else ()
        others = [line for line in (*own, *self.earlier) if not line.startswith(f"- `{head[:10]}`")]
        kept, size = [], 0
        for line in others[:MOST_EARLIER]:
            size += len(line.encode("utf-16-le", errors="surrogatepass")) // 2
            if size > LONGEST_EARLIER:
                break
            kept.append(line)
        return tuple(kept)


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
