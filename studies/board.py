"""The board that the docs quote, and how its numbers are written."""

import ast
from pathlib import Path

from windtunnel.text.numbers import DASH, TIMES
from windtunnel_claims.format import CLAIMS_FORMAT, Decision

DOCS = Path(__file__).parents[1] / "docs"
BOARD = DOCS / "measurements" / "claims.json"
"""The board that README.md, docs/claims.md and docs/measurements/article.md show."""

LABELS = {
    Decision.HOLDS: "holds",
    Decision.DIRECTION: "direction holds, size does not",
    Decision.ABOUT: "about at the limit",
    Decision.FAILS: "fails",
    Decision.UNDECIDED: "undecided",
    Decision.OUT_OF_SCOPE: "out of scope",
}


def read_board(path=BOARD):
    """Returns the board in the file *path*; raises WindtunnelError if it is broken."""
    return CLAIMS_FORMAT.decode(Path(path).read_bytes(), str(path))


def decisions_of(board, claim):
    """Returns the decision on *claim*, an id, at each target by its name."""
    return {one.target: one for one in board.decisions if one.claim == claim}


def is_measured(decision):
    """Whether the results say anything about the claim."""
    return decision.is_measured and bool(decision.tests)


def variant(case):
    """Returns the first parameter of a case, which is its variant here; its benchmark without parameters."""
    if not case.params:
        return case.benchmark
    try:
        return str(ast.literal_eval(case.params[0]))
    except (ValueError, SyntaxError):
        return case.params[0]


def ratio_text(test):
    """Returns the ratio of a test with its interval; empty if it has none."""
    if test is None or test.ratio is None:
        return ""
    decimals = decimals_of(test.ratio)
    ends = test.interval and f" ({test.interval.low:.{decimals}f} {DASH} {test.interval.high:.{decimals}f})"
    return f"{test.ratio:.{decimals}f}{TIMES}{ends or ''}"


def decimals_of(value):
    """Returns the decimals that a reader needs of a ratio: three digits, and one more near 1."""
    return next((decimals for limit, decimals in ((0.1, 4), (2, 3), (10, 2), (100, 1)) if value < limit), 0)


def listed(names):
    """Returns names as a list in words."""
    return " and ".join(", ".join(names).rsplit(", ", 1))


def cell(text):
    """Returns *text* on one line, safe in a table of Markdown."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
