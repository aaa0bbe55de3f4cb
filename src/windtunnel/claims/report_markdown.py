"""A claim board as Markdown: a line a claim, a column a Python, reasons folded; it always fits a GitHub comment.

A dash stands for what was not measured, nothing for what is out of scope.
"""

from collections.abc import Iterator, Sequence

from windtunnel.claims import report_text
from windtunnel.claims.format import ClaimBoard, DecidedClaim, Decision, StatedClaim
from windtunnel.text.escaping import code, plain
from windtunnel.text.markdown import LONGEST, fitting, size
from windtunnel.text.numbers import DASH

BOARD_SHARE = 0.7
"""Of the characters, how many the board may take; the rest is for flips and reasons."""

FIGURES_SHARE = 0.1
"""Of the characters, how many figures beside claims may take."""

MOST_LINES = 50
"""Flips and notes that are told."""


def markdown(board: ClaimBoard, longest: int = LONGEST) -> str:
    """Return *board*, at most *longest* characters (UTF-16 units, as GitHub counts)."""
    text = "## Claims\n\n"
    lines = [f"- {code(place.name)}: {report_text.summary(board, place)}\n" for place in board.places[:MOST_LINES]]
    lines += [f"- {plain(each, 400)}\n" for each in (*report_text.flips(board), *board.notes)][:MOST_LINES]
    text += fitting(lines, longest // 5, "claims.json") + "\n"
    rows = [_row(board, claim) for claim in board.claims if _told(board, claim)]
    if not rows:
        return text + "Nothing was measured that a claim is about.\n"
    head = _head(board)
    text += head + fitting(rows, int(longest * BOARD_SHARE) - size(text) - size(head), "claims.json") + "\n"
    if figures := list(_figures(board)):
        text += fitting(figures, int(longest * (BOARD_SHARE + FIGURES_SHARE)) - size(text), "claims.json") + "\n"
    reasons = list(_reasons(board))
    start, end = f"<details><summary>{len(reasons)} undecided</summary>\n\n", "\n</details>\n"
    folded = fitting(reasons, longest - size(text) - size(start) - size(end), "claims.json")
    return text + (start + folded + end if folded else "")


def _head(board: ClaimBoard) -> str:
    places = "".join(f" {code(place.name, 60)} |" for place in board.places)
    return f"| | claim | claimed | article |{places}\n|---|---|---|---|{'---|' * len(board.places)}\n"


def _told(board: ClaimBoard, claim: StatedClaim) -> Sequence[DecidedClaim]:
    return [one for one in board.decisions if one.claim == claim.id and report_text.tried(one) and one.tests]


def _row(board: ClaimBoard, claim: StatedClaim) -> str:
    told = _told(board, claim)
    test = told[0].tests[told[0].decisive]
    here = {one.place: one for one in board.decisions if one.claim == claim.id}
    cells = "".join(f" {_cell(here.get(place.name))} |" for place in board.places)
    said = report_text.article(test, plain(claim.article_says, 60))
    return f"| {plain(claim.id, 20)} | {plain(claim.sentence, 300)} | {report_text.band(test)} | {said} |{cells}\n"


def _cell(one: DecidedClaim | None) -> str:
    if one is None or one.decision is Decision.OUT_OF_SCOPE:
        return ""
    if not (report_text.tried(one) and one.tests):
        return DASH
    figures = report_text.figures(one.tests[one.decisive])
    told = f"<br>{figures.value} ({figures.interval})" if figures else ""
    name = report_text.word(one.decision)
    return (name if one.decision is Decision.UNDECIDED else f"**{name}**") + told


def _figures(board: ClaimBoard) -> Iterator[str]:
    for one in board.decisions:
        if report_text.tried(one):
            for said in report_text.beside(one):
                yield f"- {plain(one.claim, 20)} on {code(one.place, 60)}: {plain(said, 300)}\n"


def _reasons(board: ClaimBoard) -> Iterator[str]:
    for one in board.decisions:
        if one.reason and report_text.tried(one):
            yield f"- {plain(one.claim, 20)} on {code(one.place, 60)}: {plain(one.reason, 300)}\n"
