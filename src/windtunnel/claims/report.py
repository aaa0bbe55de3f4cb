"""Renders a claim board for a terminal and as Markdown.

The terminal shows each sentence, and below it a row for each Python. Markdown has a row for each claim and a column for
each Python, folds reasons, and always fits a GitHub comment. There a dash means not measured, and an empty cell means
out of scope.
"""

import ast
import io
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from windtunnel.claims.format import (
    ClaimBoard,
    ClaimStatement,
    ClaimTarget,
    DecidedClaim,
    DecidedTest,
    Decision,
    Setting,
)
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, code, fit_rows, plain, size, visible
from windtunnel.text.numbers import DASH, FormattedFigure, quantity, ratio

MAX_FLIPS = 20
"""The flips between commits that a report lists; it counts the rest."""

MAX_SENTENCE = 400
"""Characters of a sentence in a terminal."""

MAX_CELL = 40
"""Characters of a table cell in a terminal."""

MAX_LINES = 50
"""The lines of Markdown for targets, and those for flips and notes."""

BOARD_SHARE = 0.7
"""The share of the Markdown that the board may take; the rest is for flips and reasons."""

FIGURES_SHARE = 0.1
"""The share of the Markdown that figures may take."""

COLUMNS = ("Python", "decision", "ratio", "interval", "claimed", "published", "")
NOTHING_MEASURED = "Nothing was measured that a claim is about."


def render_terminal(board: ClaimBoard, width: int = 100) -> str:
    """Return *board* as plain text of at most *width* columns."""
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, emoji=False, markup=False, highlight=False)
    console.print(Group(*_terminal_parts(board)))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def render_markdown(board: ClaimBoard, longest: int = MAX_COMMENT_LENGTH) -> str:
    """Return *board* as Markdown of at most *longest* characters (UTF-16 units, as GitHub counts)."""
    text = "## Claims\n\n"
    lines = [f"- {code(target.name)}: {_summary(board, target)}\n" for target in board.targets[:MAX_LINES]]
    lines += [f"- {plain(each, 400)}\n" for each in (*_flips(board), *board.notes)][:MAX_LINES]
    text += fit_rows(lines, longest // 5, "claims.json") + "\n"
    rows = [_markdown_row(board, claim, shown) for claim in board.claims if (shown := _shown(board, claim))]
    if not rows:
        return f"{text}{NOTHING_MEASURED}\n"
    targets = "".join(f" {code(target.name, 60)} |" for target in board.targets)
    head = f"| | claim | claimed | published |{targets}\n|---|---|---|---|{'---|' * len(board.targets)}\n"
    text += head + fit_rows(rows, int(longest * BOARD_SHARE) - size(text) - size(head), "claims.json") + "\n"
    measured = [each for each in board.decisions if each.is_measured]
    if figures := [_markdown_line(each, line) for each in measured for line in _figure_lines(each)]:
        text += fit_rows(figures, int(longest * (BOARD_SHARE + FIGURES_SHARE)) - size(text), "claims.json") + "\n"
    reasons = [_markdown_line(each, each.reason) for each in measured if each.reason]
    start, end = f"<details><summary>{len(reasons)} undecided</summary>\n\n", "\n</details>\n"
    folded = fit_rows(reasons, longest - size(text) - size(start) - size(end), "claims.json")
    return text + (start + folded + end if folded else "")


def format_ratio(test: DecidedTest) -> FormattedFigure | None:
    """Return the ratio of *test* with its interval; None if it has none."""
    if test.ratio is None or test.interval is None:
        return None
    return ratio(test.ratio, (test.interval.low, test.interval.high))


def _terminal_parts(board: ClaimBoard) -> Iterator[RenderableType]:
    yield from (_line(f"{target.name}: {_summary(board, target)}") for target in board.targets)
    yield from map(_line, (*_flips(board), *board.notes))
    shown = {claim: decisions for claim in board.claims if (decisions := _shown(board, claim))}
    rows = {claim: [_terminal_row(claim, each) for each in decisions] for claim, decisions in shown.items()}
    every = [COLUMNS, *(row for each in rows.values() for row in each)]
    widths = [max(map(len, cells)) for cells in zip(*every, strict=True)]
    if shown:
        yield Text()
        yield _terminal_table([COLUMNS], widths)
    for claim, decisions in shown.items():
        yield _line(f"{claim.id}  {visible(claim.sentence, MAX_SENTENCE)}")
        yield _terminal_table(rows[claim], widths)
        for each in decisions:
            for line in (*([each.reason] if each.reason else ()), *_figure_lines(each)):
                yield Padding(_line(f"{each.target}: {line}"), (0, 0, 0, 2))
    if not any(each.is_measured for each in board.decisions):
        yield _line(NOTHING_MEASURED)


def _terminal_row(claim: ClaimStatement, decision: DecidedClaim) -> tuple[str, ...]:
    test = decision.tests[decision.decisive]
    found = format_ratio(test)
    cells = (
        decision.target,
        _label(decision.decision),
        found.value if found else "",
        (found.interval or "") if found else "",
        _band(test),
        _published(test, claim.published_text),
        _given(decision.given),
    )
    return tuple(visible(cell, MAX_CELL) for cell in cells)


def _terminal_table(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> Padding:
    table = Table(box=None, pad_edge=False, show_header=False)
    for index, width in enumerate(widths):
        table.add_column(width=width, justify="right" if 2 <= index <= 3 else "left", no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*map(Text, row))
    return Padding(table, (0, 0, 0, 2))


def _line(text: str) -> Text:
    return Text(visible(text, MAX_SENTENCE))


def _markdown_row(board: ClaimBoard, claim: ClaimStatement, shown: Sequence[DecidedClaim]) -> str:
    test = shown[0].tests[shown[0].decisive]
    decisions = {each.target: each for each in board.decisions if each.claim == claim.id}
    cells = "".join(f" {_markdown_cell(decisions.get(target.name))} |" for target in board.targets)
    published = _published(test, plain(claim.published_text, 60))
    return f"| {plain(claim.id, 20)} | {plain(claim.sentence, 300)} | {_band(test)} | {published} |{cells}\n"


def _markdown_cell(decision: DecidedClaim | None) -> str:
    if decision is None or decision.decision is Decision.OUT_OF_SCOPE:
        return ""
    if not (decision.is_measured and decision.tests):
        return DASH
    found = format_ratio(decision.tests[decision.decisive])
    label = _label(decision.decision)
    return (f"**{label}**" if decision.is_decided else label) + (
        f"<br>{found.value} ({found.interval})" if found else ""
    )


def _markdown_line(decision: DecidedClaim, text: str) -> str:
    return f"- {plain(decision.claim, 20)} on {code(decision.target, 60)}: {plain(text, 300)}\n"


def _shown(board: ClaimBoard, claim: ClaimStatement) -> list[DecidedClaim]:
    """Return the decisions on *claim* at targets that measured any of its cases."""
    return [each for each in board.decisions if each.claim == claim.id and each.tests and each.is_measured]


def _label(decision: Decision) -> str:
    return decision.value.replace("_", " ")


def _summary(board: ClaimBoard, target: ClaimTarget) -> str:
    """Return how many claims hold, fail and so on at *target*."""
    counts = Counter(
        "not measured" if each.decision is Decision.UNDECIDED and not each.is_measured else _label(each.decision)
        for each in board.decisions
        if each.target == target.name
    )
    plural = {"holds": "hold", "fails": "fail"}
    order = [*map(_label, Decision), "not measured"]
    return ", ".join(f"{counts[each]} {plural.get(each, each)}" for each in order if counts[each])


def _figure_lines(decision: DecidedClaim) -> Iterator[str]:
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


def _quantity(value: float, ends: tuple[float, float] | None, unit: str | None) -> FormattedFigure:
    return ratio(value, ends) if unit is None else quantity(value, ends, unit)


def _band(test: DecidedTest) -> str:
    if test.low is not None and test.high is not None:
        return f"{test.low:.3g} {DASH} {test.high:.3g}"
    if test.low is not None:
        return f"above {test.low:.3g}"
    return "" if test.high is None else f"below {test.high:.3g}"


def _published(test: DecidedTest, text: str) -> str:
    """Return the published ratio, or *text* if there is none."""
    return text if test.published is None else ratio(test.published, None).value


def _given(settings: Sequence[Setting]) -> str:
    return ", ".join(_readable(setting.value) for setting in settings)


def _flips(board: ClaimBoard) -> Iterator[str]:
    """Yield a sentence for each flip, those between Pythons first."""
    for flip in board.target_flips:
        yield f"{flip.claim} holds on {_listed(flip.holds)} and fails on {_listed(flip.fails)}."
    for turn in board.commit_flips[:MAX_FLIPS]:
        was, now = ("held", "fails") if turn.before is Decision.HOLDS else ("failed", "holds")
        yield (
            f"{turn.claim} {was} on commit {turn.before_commit[:8]} and {now} on {turn.after_commit[:8]} "
            f"({turn.target})."
        )
    if (left := len(board.commit_flips) - MAX_FLIPS) > 0:
        yield f"... and {left} more flips."


def _listed(names: Sequence[str]) -> str:
    """Return *names* as a list in words; names with commas are separated by semicolons."""
    if any(", " in name for name in names):
        return "; ".join(names)
    return " and ".join(", ".join(names).rsplit(", ", 1))


def _readable(value: str) -> str:
    """Return the string that *value*, a ``repr``, stands for; other values stay as they are."""
    try:
        text = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return text if isinstance(text, str) and text else value
