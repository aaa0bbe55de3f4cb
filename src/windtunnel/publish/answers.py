"""Builds what the first page shows of a claim board: the answers with their figures, and how much is decided."""

from collections import Counter
from collections.abc import Iterator, Mapping

from windtunnel.claims.format import ClaimBoard, DecidedClaim, DecidedFinding, DecidedTest, Decision, Measurement
from windtunnel.publish.format.site import Answer, AnswerCase, AnswerFigure, ClaimSummary

MAX_ANSWERS = 8
"""Findings on the first page; the page of claims has all claims."""
MAX_FLIPS = 5
"""Decisions that changed on the first page; the page of claims has twice as many."""
MAX_TARGETS = 8
"""Targets with figures below an answer."""


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
