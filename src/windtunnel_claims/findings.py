"""Answers the questions of readers: a finding is a sentence with the numbers of the first test of a claim."""

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from msgspec.structs import replace

from windtunnel.text.numbers import scale
from windtunnel_claims import format as boards
from windtunnel_claims.claims_file import Finding

DECIMALS = ((2.0, 2), (10.0, 1))
"""The decimals of numbers below a limit: two digits, and three around 1. Larger numbers have none."""


MAX_ANSWERS = 20
"""Findings on the first page; the page of claims has all claims."""

MAX_TARGETS = 8
"""Targets with figures below an answer."""


def decide_findings(
    findings: Sequence[Finding], decisions: Sequence[boards.DecidedClaim], targets: Sequence[boards.ClaimTarget]
) -> tuple[boards.DecidedFinding, ...]:
    """Return *findings* with the answers that *decisions* at *targets* give."""
    found: list[boards.DecidedFinding] = []
    for finding in findings:
        at_targets = {each.target: each for each in decisions if each.claim == finding.claim and each.answers}
        tests = [
            (target.name, test, decision)
            for target in targets
            if (decision := at_targets.get(target.name))
            for test in answering(decision)
        ]
        asked = {key: getattr(finding, key) for key in boards.Question.__struct_fields__}
        answers = tuple(_answers(finding, tests))
        found.append(boards.DecidedFinding(**asked, answers=answers))
    return tuple(found)


_Found: TypeAlias = tuple[str, boards.DecidedTest, boards.DecidedClaim]


def _answers(finding: Finding, found: Sequence[_Found]) -> Iterator[boards.FindingAnswer]:
    """Yield an answer for the targets that have the same sentence, the larger group first.

    Where the sentences of conditions differ, each has its answers.
    """
    sentences = {
        boards.Decision.HOLDS: finding.holds,
        boards.Decision.DIRECTION: finding.holds,
        boards.Decision.FAILS: finding.fails,
        boards.Decision.ABOUT: finding.about,
    }
    differ = len({sentences.get(test.decision) for _, test, _ in found if test.condition}) > 1
    groups: dict[tuple[str, str], list[tuple[boards.Decision, _Found]]] = {}
    for each in found:
        decision = each[2].decision if each[2].crossing else each[1].decision
        if sentence := sentences.get(decision):
            groups.setdefault((sentence, each[1].condition if differ else ""), []).append((decision, each))
    for (sentence, condition), group in sorted(groups.items(), key=lambda each: -len(each[1])):
        where = f"With {condition} processors: " if condition else ""
        yield boards.FindingAnswer(
            sentence=where + sentence.format(**_numbers([each for _, each in group])),
            decision=group[0][0],
            targets=tuple(dict.fromkeys(each[0] for _, each in group)),
        )


def _numbers(found: Sequence[_Found]) -> dict[str, str]:
    """Return the text of each placeholder: a number, or the range over what was *found*."""
    tests = [test for _, test, _ in found]
    crossings = (decision.crossing.words for _, _, decision in found if decision.crossing)
    ratios = [test.ratio for test in tests if test.ratio is not None]
    return {
        "ratio": _range(ratios),
        "inverse": _range([1 / ratio for ratio in ratios if ratio > 0]),
        "percent": f"{_range([abs(ratio - 1) * 100 for ratio in ratios])} %",
        "contender": _quantities([test.contender for test in tests]),
        "baseline": _quantities([test.baseline for test in tests]),
        "crossing": ", ".join(dict.fromkeys(crossings)) or "an unknown value",
    }


def _quantities(cases: Sequence[boards.Measurement]) -> str:
    """Return the range of the values of *cases* with their unit."""
    values = [case.value for case in cases if case.value is not None and math.isfinite(case.value)]
    unit = next((case.unit for case in cases if case.unit), "")
    factor, name = scale(max(map(abs, values), default=0.0), unit)
    return f"{_range([value / factor for value in values])} {name}".strip()


def _range(values: Sequence[float]) -> str:
    """Return the smallest and the largest of *values*, with the decimals that the smallest needs; once if alike."""
    if not values:
        return "an unknown number"
    least = min(values)
    decimals = next((decimals for limit, decimals in DECIMALS if least < limit), 0)
    if 0 < least < 0.1:
        decimals = min(6, 1 - math.floor(math.log10(least)))
    texts = dict.fromkeys(f"{end:.{decimals}f}" for end in (least, max(values)))
    return " to ".join(texts)


def answering(decision: boards.DecidedClaim) -> tuple[boards.DecidedTest, ...]:
    """Return the first test of each condition; of a series the last, where its advice applies."""
    size = max(1, len(decision.tests) // (len({each.condition for each in decision.tests}) or 1))
    return decision.tests[size - 1 if decision.crossing else 0 :: size]


def claim_summary(
    board: boards.ClaimBoard, verdict: boards.Verdict | None = None, published: boards.ClaimBoard | None = None
) -> boards.ClaimSummary:
    """Return what the first page shows of *board*, and of one that was measured elsewhere."""
    found = (answer for finding in board.findings if (answer := _answer(finding, board)))
    return boards.ClaimSummary(
        answers=tuple(islice(found, MAX_ANSWERS)),
        targets=board.targets,
        false_discovery_rate=board.false_discovery_rate,
        claims=len(board.claims),
        verdict=verdict,
        published=claim_summary(published) if published else None,
        flips=sum(each.before is not None for each in board.decisions),
    )


def _answer(finding: boards.DecidedFinding, board: boards.ClaimBoard) -> boards.DecidedFinding | None:
    """Return *finding* with its figures, in the order of the targets; None where no target measured its cases."""
    decided = {each.target: each for each in board.decisions if each.claim == finding.claim and each.is_measured}
    here = [each for target in board.targets if (each := decided.get(target.name)) and each.tests]
    figures = (
        replace(each, tests=tuple(replace(test, block_ratios=()) for test in _shown(each)), decisive=0, figures=())
        for each in here[:MAX_TARGETS]
    )
    return replace(finding, figures=tuple(figures)) if here else None


def _shown(decision: boards.DecidedClaim) -> tuple[boards.DecidedTest, ...]:
    """Return the test that answers, in each condition; of a series all values, of which the last answers."""
    return decision.tests if decision.crossing else answering(decision)
