"""What the reports of a claim board show, as text without markup: rows, summaries, findings and flips.

A claim with one test has one row. A claim with several has a row for itself and one for each test.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.text.numbers import DASH, FormattedFigure, quantity, ratio, share
from windtunnel_claims.format import (
    ClaimBoard,
    ClaimStatement,
    ClaimTarget,
    DecidedClaim,
    DecidedFinding,
    DecidedTest,
    Decision,
    FindingAnswer,
    InstructionRatio,
    Measurement,
)

MAX_FLIPS = 20
"""The flips between commits that a report lists; it counts the rest."""

NOTHING_MEASURED = "Nothing was measured that a claim is about."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """A row of a board: a claim, or one of its tests."""

    claim: ClaimStatement
    """The claim."""
    tests: int
    """How many tests the claim has."""
    test: int | None
    """The index of the test; None for the claim itself if it has several."""
    label: str
    """What the row is about; empty for the only row of a claim."""

    @property
    def is_first(self) -> bool:
        """Whether it is the first row of its claim."""
        return self.test is None or self.tests == 1

    def find_test(self, decision: DecidedClaim) -> DecidedTest | None:
        """Return the test of the row in *decision*; None if it has none."""
        return decision.tests[self.test] if self.test is not None and self.test < len(decision.tests) else None

    def decision(self, decision: DecidedClaim) -> str:
        """Return the decision of the row: that of the claim, or that of one of several tests."""
        test = self.find_test(decision)
        return label(decision.decision if test is None or self.tests == 1 else test.decision)

    def ratio(self, decision: DecidedClaim) -> str:
        """Return the ratio of the test; empty if it has none."""
        found = _ratio(self.find_test(decision))
        return found.value if found else ""

    def interval(self, decision: DecidedClaim) -> str:
        """Return the interval of the test; empty if it has none."""
        found = _ratio(self.find_test(decision))
        return (found.interval or "") if found else ""

    def band(self, decision: DecidedClaim) -> str:
        """Return the band of the test."""
        test = self.find_test(decision)
        if test is None:
            return ""
        if test.low is not None and test.high is not None:
            return f"{test.low:.3g} {DASH} {test.high:.3g}"
        if test.low is not None:
            return f"above {test.low:.3g}"
        return "" if test.high is None else f"below {test.high:.3g}"

    def published(self, decision: DecidedClaim, words: str) -> str:
        """Return the published ratio of the test; if there is none, the published *words* in the first row."""
        test = self.find_test(decision)
        if test is not None and test.published is not None:
            return ratio(test.published, None).value
        return words if self.is_first else ""


def rows_of(claim: ClaimStatement, shown: Sequence[DecidedClaim]) -> tuple[ReportRow, ...]:
    """Return the rows of *claim*, none without decisions; *shown* are those at targets that measured it.

    A test is labelled with its sides, or with its contender if all tests have the same baseline.
    """
    most = max(shown, key=lambda decision: len(decision.tests), default=None)
    if most is None:
        return ()
    count = len(most.tests)
    if count == 1:
        return (ReportRow(claim=claim, tests=1, test=0, label=""),)
    common = len({(test.baseline.benchmark, test.baseline.params, test.divided_by) for test in most.tests}) == 1
    labels = [_side(test.contender, test.baseline) if common else _sides(test) for test in most.tests]
    tests = (ReportRow(claim=claim, tests=count, test=at, label=text) for at, text in enumerate(labels))
    return (ReportRow(claim=claim, tests=count, test=None, label=f"all {count} tests"), *tests)


def shown_decisions(board: ClaimBoard) -> Mapping[str, Sequence[DecidedClaim]]:
    """Return the decisions at targets that measured any case of their claim, by the id of the claim."""
    found: dict[str, list[DecidedClaim]] = {claim.id: [] for claim in board.claims}
    for decision in board.decisions:
        if decision.tests and decision.is_measured:
            found[decision.claim].append(decision)
    return found


def label(decision: Decision) -> str:
    """Return *decision* in words."""
    return decision.value.replace("_", " ")


def summary(board: ClaimBoard, target: ClaimTarget) -> str:
    """Return how many claims hold, fail and so on at *target*."""
    counts = Counter(
        "not measured" if each.decision is Decision.UNDECIDED and not each.is_measured else label(each.decision)
        for each in board.decisions
        if each.target == target.name
    )
    plural = {"holds": "hold", "fails": "fail"}
    order = [*map(label, Decision), "not measured"]
    named = {each: each if counts[each] == 1 else plural.get(each, each) for each in order}
    return ", ".join(f"{counts[each]} {name}" for each, name in named.items() if counts[each])


def method(board: ClaimBoard) -> str:
    """Return how often decisions are wrong; empty if nothing was measured in blocks."""
    if not board.analyses or board.error is None or board.false_discovery_rate is None:
        return ""
    analyses = listed([str(blocks) for blocks in board.analyses])
    return (
        f"Claims measured in blocks are analysed after {analyses} blocks, with an error of {share(board.error)} each. "
        f"Of their decisions at a target, at most {share(board.false_discovery_rate)} are expected to be wrong."
    )


def answer_text(finding: DecidedFinding, answer: FindingAnswer) -> str:
    """Return *answer* with its targets, which come first if the answers differ."""
    if len(finding.answers) > 1:
        return f"On {listed(answer.targets)}: {answer.sentence} ({finding.claim})"
    return f"{answer.sentence} ({listed(answer.targets)}; {finding.claim})"


def figure_lines(decision: DecidedClaim) -> Iterator[str]:
    """Yield each figure with its interval, or why there is none."""
    for figure in decision.figures:
        if figure.value is None:
            yield f"{figure.name}: {figure.reason}"
            continue
        ends = (figure.low, figure.high) if figure.low is not None and figure.high is not None else None
        found = _quantity(figure.value, ends, figure.unit)
        lower = "" if ends or figure.low is None else f"at least {_quantity(figure.low, None, figure.unit).value}"
        interval = found.interval or lower
        yield f"{figure.name}: {found.value}" + (f" ({interval})" if interval else "")


def instruction_lines(decision: DecidedClaim) -> Iterator[str]:
    """Yield what the instructions of each test decide, or why they decide nothing; nothing if they are not counted."""
    several = len(decision.tests) > 1
    for number, test in enumerate(decision.tests, 1):
        counts = test.instructions
        if counts is not None:
            where = f"instructions of test {number}" if several else "instructions"
            yield f"{where}: {instruction_text(counts)}"


def instruction_text(counts: InstructionRatio) -> str:
    """Return what *counts* decide with their ratio, or why they have none."""
    if counts.ratio is None or counts.interval is None:
        return counts.reason
    found = ratio(counts.ratio, (counts.interval.low, counts.interval.high))
    return f"{label(counts.decision)}, {found.value} ({found.interval})"


def flip_sentences(board: ClaimBoard) -> Iterator[str]:
    """Yield a sentence for each flip, those between targets first."""
    for pair in board.target_flips:
        yield f"{pair.claim} holds on {listed(pair.holds)} and fails on {listed(pair.fails)}."
    for flip in board.commit_flips[:MAX_FLIPS]:
        was, now = ("held", "fails") if flip.before is Decision.HOLDS else ("failed", "holds")
        commits = f"{was} on commit {flip.before_commit[:8]} and {now} on {flip.after_commit[:8]}"
        yield f"{flip.claim} {commits} ({flip.target})."
    if (left := len(board.commit_flips) - MAX_FLIPS) > 0:
        yield f"... and {left} more flips."


def listed(names: Sequence[str]) -> str:
    """Return *names* as a list in words; names with commas are separated by semicolons."""
    if any(", " in name for name in names):
        return "; ".join(names)
    return " and ".join(", ".join(names).rsplit(", ", 1))


def readable(value: str) -> str:
    """Return the string that *value*, a ``repr``, stands for; other values stay as they are."""
    try:
        text = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return text if isinstance(text, str) and text else value


def _ratio(test: DecidedTest | None) -> FormattedFigure | None:
    if test is None or test.ratio is None or test.interval is None:
        return None
    return ratio(test.ratio, (test.interval.low, test.interval.high))


def _quantity(value: float, ends: tuple[float, float] | None, unit: str | None) -> FormattedFigure:
    return ratio(value, ends) if unit is None else quantity(value, ends, unit)


def _sides(test: DecidedTest) -> str:
    """Return what *test* divides by what."""
    text = f"{_side(test.contender, test.baseline)} / {_side(test.baseline, test.contender)}"
    if len(test.divided_by) == 2:
        first, second = test.divided_by
        text = f"({text}) / ({_side(first, second)} / {_side(second, first)})"
    return text


def _side(case: Measurement, other: Measurement) -> str:
    """Return what distinguishes *case* from the *other* side: its class, the parameters that differ, or both."""
    same = case.benchmark == other.benchmark
    differing = [value for value, against in zip(case.params, other.params, strict=False) if value != against]
    values = ", ".join(map(readable, differing if same and differing else case.params[:1]))
    if same:
        return values or case.benchmark
    name = case.benchmark.split(".")[-2] if "." in case.benchmark else case.benchmark
    return f"{values} of {name}" if values else name
