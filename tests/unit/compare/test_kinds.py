"""The kinds of verdict: one decision for the comment, the check and the command."""

import pytest
from builders.samples import a_report, changed, paired_samples, unbuilt, work_samples
from msgspec.structs import replace

from windtunnel.compare.format import RULES_CHANGED, NotCompared
from windtunnel.compare.kinds import (
    CommentContext,
    VerdictKind,
    decide_conclusion,
    decide_kind,
    first_words,
    needs_comment,
)
from windtunnel.compare.report_text import render_annotations

BROKEN = NotCompared(benchmark="suite.time_x", reason="TypeError", on=("head",))
SLOWER, FASTER, SAME = a_report(changed()), a_report(changed(ratio=0.7)), a_report(paired_samples())
ACCEPTED, LOST = CommentContext(accepted_by="alice"), CommentContext(failed_jobs=1)
AGAIN = CommentContext(follows_verdict=True)
BLOCKS, OPEN, QUIET = "Blocks merging: ", "Does not block merging: ", "Nothing to do: "

CASES = {
    "a case is slower": (SLOWER, CommentContext(), VerdictKind.SLOWER, "failure", BLOCKS, True),
    "slower, and a job was lost": (SLOWER, LOST, VerdictKind.SLOWER, "failure", BLOCKS, True),
    "too many instructions": (
        a_report(paired_samples(work=work_samples(1.02), instructions_threshold=0.005)),
        CommentContext(), VerdictKind.SLOWER, "failure", BLOCKS, True,
    ),
    "a case fails": (a_report(paired_samples(), failed=(BROKEN,)), AGAIN, VerdictKind.FAILED, "failure", BLOCKS, True),
    "accepted, but a case fails": (
        a_report(changed(), failed=(BROKEN,)), ACCEPTED, VerdictKind.FAILED, "failure", BLOCKS, True,
    ),
    "head cannot be built": (unbuilt("head"), CommentContext(), VerdictKind.UNMEASURED, "failure", BLOCKS, True),
    "base cannot be built": (unbuilt("base"), CommentContext(), VerdictKind.UNMEASURED, "neutral", OPEN, True),
    "no case": (a_report(), CommentContext(), VerdictKind.UNMEASURED, "neutral", OPEN, False),
    "a job was lost": (SAME, LOST, VerdictKind.INCOMPLETE, "failure", BLOCKS, False),
    "accepted, and a job was lost": (
        SLOWER, CommentContext(accepted_by="alice", failed_jobs=1), VerdictKind.INCOMPLETE, "failure", BLOCKS, False,
    ),
    "a Python is missing": (
        unbuilt(None, samples=[paired_samples()]), AGAIN, VerdictKind.INCOMPLETE, "success", OPEN, False,
    ),
    "accepted": (SLOWER, ACCEPTED, VerdictKind.ACCEPTED, "neutral", "Accepted: ", True),
    "no longer slower": (SAME, AGAIN, VerdictKind.RESOLVED, "success", "Resolved: ", False),
    "documentation after a regression": (
        a_report(unmeasured="irrelevant"), AGAIN, VerdictKind.RESOLVED, "success", "Resolved: ", False,
    ),
    "noise after a regression": (
        a_report(paired_samples(spread=0.3)), AGAIN, VerdictKind.NO_SLOWDOWN, "success", QUIET, False,
    ),
    "other rules after a regression": (
        a_report(paired_samples(), notes=(RULES_CHANGED,)), AGAIN, VerdictKind.NO_SLOWDOWN, "success", QUIET, True,
    ),
    "nothing changed": (SAME, CommentContext(), VerdictKind.NO_SLOWDOWN, "success", QUIET, False),
    "faster": (FASTER, CommentContext(), VerdictKind.FASTER, "success", QUIET, False),
}  # fmt: skip


@pytest.mark.parametrize(("report", "context", "kind", "conclusion", "lead", "comments"), CASES.values(), ids=CASES)
def test_the_kind_decides_the_check_the_first_words_and_the_comment(report, context, kind, conclusion, lead, comments):
    """What the reader most needs to know comes first."""
    assert decide_kind(report, context) is kind
    assert decide_conclusion(report, context) == conclusion
    concluded = CommentContext(
        failed_jobs=context.failed_jobs,
        accepted_by=context.accepted_by,
        follows_verdict=context.follows_verdict,
        conclusion=conclusion,
    )
    assert first_words(report, concluded) == lead
    assert needs_comment(report, context) is comments


def test_each_kind_has_a_case():
    """A kind that nothing produces would be one too many."""
    assert {kind for _, _, kind, *_ in CASES.values()} == set(VerdictKind)


def test_without_the_gate_only_what_was_not_measured_fails_the_check():
    """``--no-gate`` reports a regression and does not fail."""
    assert decide_conclusion(SLOWER, gate=False) == "neutral"
    assert decide_conclusion(SLOWER, LOST, gate=False) == "failure"


@pytest.mark.parametrize(
    ("report", "level"),
    [
        (SLOWER, "error"),
        (unbuilt("head"), "error"),
        (unbuilt("base"), "warning"),
        (unbuilt(None, samples=[paired_samples()]), "warning"),
        (FASTER, "notice"),
        (replace(SAME, notes=("a note",)), "notice"),
    ],
)
def test_the_annotation_of_a_step_has_the_level_of_the_check(report, level):
    """An error where the check would fail, a warning where a person may want to act."""
    assert render_annotations(report).startswith(f"::{level} title=Windtunnel::")
