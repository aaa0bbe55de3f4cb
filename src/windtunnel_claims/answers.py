"""Builds what the first page shows of a claim board: the answers with their figures, and how much is decided."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel_claims.format import (
    ClaimBoard,
    CommitFlip,
    DecidedClaim,
    DecidedFinding,
    DecidedTest,
    Decision,
    FindingAnswer,
    Measurement,
)

Index = Annotated[int, Meta(ge=0)]
Limits = tuple[float, float]
"""The lower and the upper limit of an interval."""

MAX_ANSWERS = 8
"""Findings on the first page; the page of claims has all claims."""
MAX_FLIPS = 5
"""Decisions that changed on the first page; the page of claims has twice as many."""
MAX_TARGETS = 8
"""Targets with figures below an answer."""


class AnswerCase(Struct, frozen=True, kw_only=True):
    """A side of the test that answers a question."""

    benchmark: str
    """The benchmark."""
    params: tuple[str, ...]
    """The values of its parameters, as asv stores them."""


class AnswerFigure(Struct, frozen=True, kw_only=True):
    """What the test found at a target."""

    target: str
    """The name of the target in claims.json."""
    decision: Decision
    """What the test decides there."""
    reason: str
    """Why it is undecided; else empty."""
    ratio: float | None
    """The ratio, contender / baseline; null where it has none."""
    interval: Limits | None
    """The interval of the ratio; null where it has none."""
    contender: float | None
    """The value of the contender; null where it has none, and where other cases divide the ratio."""
    baseline: float | None
    """The value of the baseline; null likewise."""
    commit: str | None
    """The commit that was measured."""
    date: str
    """The date of the commit, UTC, ISO 8601; empty without one."""
    measured: str
    """The day of measuring, UTC; empty where results do not state it."""


class Answer(Struct, frozen=True, kw_only=True):
    """A question of a reader, its answers, and the figures that they rest on."""

    id: str
    """The id of the finding in claims.json."""
    question: str
    """What the reader does or asks."""
    claim: str
    """The id of the claim that answers."""
    contender: AnswerCase
    """The case in the numerator of the ratio."""
    baseline: AnswerCase
    """The case in the denominator."""
    given: tuple[str, ...]
    """The values of the parameters that both cases share."""
    unit: str
    """The unit of the cases' values."""
    caveat: str
    """What limits the answer; empty if nothing does."""
    quantity: str
    """What the values are; empty if their unit says it."""
    answers: tuple[FindingAnswer, ...]
    """The sentences, each with the targets where it is the answer; empty if no target decides."""
    figures: tuple[AnswerFigure, ...]
    """The figures of the targets that measured the cases."""


class ClaimSummary(Struct, frozen=True, kw_only=True):
    """The claims in short: how many are decided, and the answers for the first page."""

    claims: Index
    """The number of claims."""
    holds: Index
    """The number of decisions, one for each claim and target, that a claim holds."""
    fails: Index
    """The number of decisions that a claim fails."""
    undecided: Index
    """The number of claims and targets that are in scope and undecided."""
    answers: tuple[Answer, ...]
    """The findings in the order of the claims file, the undecided ones last; those that no target measured are left
    out."""
    flips: tuple[CommitFlip, ...] = ()
    """The newest decisions that changed from one commit to the next, newest first."""


def claim_summary(board: ClaimBoard) -> ClaimSummary:
    """Return what the first page shows of *board*."""
    decisions = {(each.claim, each.target): each for each in board.decisions}
    found = [answer for finding in board.findings if (answer := _answer(finding, board, decisions))]
    counts = Counter(each.decision for each in board.decisions)
    return ClaimSummary(
        claims=len(board.claims),
        holds=counts[Decision.HOLDS],
        fails=counts[Decision.FAILS],
        undecided=counts[Decision.UNDECIDED],
        answers=tuple(sorted(found, key=lambda each: not each.answers))[:MAX_ANSWERS],
        flips=board.commit_flips[:MAX_FLIPS],
    )


def _answer(
    finding: DecidedFinding, board: ClaimBoard, decisions: Mapping[tuple[str, str], DecidedClaim]
) -> Answer | None:
    """Return *finding* with its figures; None where no target measured its cases."""
    targets = [target.name for target in board.targets]
    here = [each for target in targets if (each := decisions.get((finding.claim, target)))]
    measured = [each for each in here if each.is_measured and finding.test < len(each.tests)]
    if not measured:
        return None
    test, given = measured[0].tests[finding.test], measured[0].given
    return Answer(
        id=finding.id,
        question=finding.question,
        claim=finding.claim,
        contender=_case(test.contender),
        baseline=_case(test.baseline),
        given=tuple(setting.value for setting in given),
        unit=next((unit for unit in _units(measured, finding.test) if unit), "unit"),
        caveat=finding.caveat,
        quantity=finding.quantity,
        answers=finding.answers,
        figures=tuple(_figure(each, each.tests[finding.test]) for each in measured[:MAX_TARGETS]),
    )


def _units(decisions: list[DecidedClaim], test: int) -> Iterator[str | None]:
    for each in decisions:
        yield each.tests[test].contender.unit
        yield each.tests[test].baseline.unit


def _case(side: Measurement) -> AnswerCase:
    return AnswerCase(benchmark=side.benchmark, params=side.params)


def _figure(decision: DecidedClaim, test: DecidedTest) -> AnswerFigure:
    simple = not test.divided_by
    return AnswerFigure(
        target=decision.target,
        decision=test.decision,
        reason=test.reason,
        ratio=test.ratio,
        interval=None if test.interval is None else (test.interval.low, test.interval.high),
        contender=test.contender.value if simple else None,
        baseline=test.baseline.value if simple else None,
        commit=decision.commit,
        date=decision.date,
        measured=decision.measured,
    )
