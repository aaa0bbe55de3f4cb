"""The kinds of verdict, which comment, check and `compare` share: whether the reader must act; docs/comment.md."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from windtunnel.compare.format import RULES_CHANGED, ComparisonReport


class VerdictKind(StrEnum):
    """What a verdict says first; the value is the heading in docs/comment.md that shows it."""

    SLOWER = "Slower"
    FAILED = "Failed"
    UNMEASURED = "Nothing measured"
    INCOMPLETE = "Incomplete"
    ACCEPTED = "Accepted"
    RESOLVED = "Resolved"
    NO_SLOWDOWN = "No slowdown found"
    FASTER = "Faster"


BROKEN = frozenset({VerdictKind.SLOWER, VerdictKind.FAILED})
"""Head broke something: the check fails, and so does the command."""
OPEN = frozenset({*BROKEN, VerdictKind.UNMEASURED, VerdictKind.INCOMPLETE})
"""A person may want to act, also where the check does not fail."""
RESOLVING = frozenset({"unchanged", "improved", "same_artifact"})
"""Results that resolve an earlier regression; an undecided or inconclusive comparison does not."""

QUIET = frozenset({"Nothing to do: ", "Resolved: "})
"""First words below which no advice stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentContext:
    """What GitHub states about the run; the artifact cannot state it, or is not trusted to."""

    head: str = ""
    """The commit of the run; empty if it is unknown."""
    run_url: str = ""
    """The page of the run."""
    comment_url: str = ""
    """The comment, for the check."""
    site_url: str = ""
    """The history site, which changed cases are linked to."""
    timings: str = ""
    """How long each step from push to comment took."""
    failed_jobs: int = 0
    """The failed jobs of the run, whose measurements are missing."""
    follows_verdict: bool = False
    """Whether the comment replaces an earlier verdict."""
    conclusion: str = ""
    """The conclusion of the check; empty if it is unknown."""
    accepted_by: str | None = ""
    """Who accepted the regressions with a label; empty without the label, None if that is unknown."""


DESK = CommentContext()
"""Without GitHub: a command on someone's machine."""


def decide_kind(report: ComparisonReport, context: CommentContext = DESK) -> VerdictKind:
    """Return the kind of the verdict: what a reader most needs to know comes first."""
    unmeasured = report.overall == "nothing_measured" and not (report.is_irrelevant or report.failed_on_head)
    resolves = report.is_irrelevant or (report.overall in RESOLVING and RULES_CHANGED not in report.notes)
    kinds = (
        (unmeasured, VerdictKind.UNMEASURED),
        (report.has_regressed and not context.accepted_by, VerdictKind.SLOWER),
        (report.breaks_cases, VerdictKind.FAILED),
        (context.failed_jobs, VerdictKind.INCOMPLETE),
        (report.has_regressed, VerdictKind.ACCEPTED),
        (report.environment_failures, VerdictKind.INCOMPLETE),
        (context.follows_verdict and resolves, VerdictKind.RESOLVED),
        (report.overall == "improved", VerdictKind.FASTER),
    )
    return next((kind for holds, kind in kinds if holds), VerdictKind.NO_SLOWDOWN)


def decide_conclusion(
    report: ComparisonReport, context: CommentContext = DESK, *, gate: bool = True
) -> Literal["success", "failure", "neutral"]:
    """Return the conclusion of the check; without *gate*, neither a regression nor a new failure fails it.

    Where a part of the cases is not measured, although it should be, the check fails in any case.
    """
    kind = decide_kind(report, context)
    lost = context.failed_jobs or (kind is VerdictKind.UNMEASURED and report.coverage.planned > 0)
    if lost or (gate and (kind in BROKEN or report.breaks_cases)):
        return "failure"
    return "neutral" if kind in {*BROKEN, VerdictKind.UNMEASURED, VerdictKind.ACCEPTED} else "success"


def first_words(report: ComparisonReport, context: CommentContext) -> str:
    """Return what the headline begins with: whether the reader must act; empty if the conclusion is unknown."""
    kind = decide_kind(report, context)
    if context.conclusion == "failure":
        return "Blocks merging: "
    if kind in {VerdictKind.ACCEPTED, VerdictKind.RESOLVED}:
        return f"{kind}: "
    if not context.conclusion:
        return ""
    return "Does not block merging: " if kind in OPEN else "Nothing to do: "


def needs_comment(report: ComparisonReport, context: CommentContext = DESK, *, faster: bool = False) -> bool:
    """Return whether a pull request needs a comment if it has none; *faster* is whether one that is faster does."""
    kind = decide_kind(report, context)
    if kind is VerdictKind.UNMEASURED:
        missing = report.coverage.planned > len(report.failed_on_base)
        return missing or bool(report.notes or report.environment_failures)
    other_rules = RULES_CHANGED in report.notes and not report.is_irrelevant
    return kind in {*BROKEN, VerdictKind.ACCEPTED} or (faster and kind is VerdictKind.FASTER) or other_rules
