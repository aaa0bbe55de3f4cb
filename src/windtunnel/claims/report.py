"""Renders a claim board for a terminal and as Markdown.

The terminal shows each sentence, and below it a row for each target that measured the claim. Markdown has a row for
each claim and a column for each target, folds reasons, and always fits a GitHub comment. In Markdown, a cell with only
a dash means not measured, and an empty cell means out of scope.
"""

import ast
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from rich.console import Console, Group, JustifyMethod, RenderableType
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

INDENT = 2
"""The spaces before a row in a terminal."""

GAP = 2
"""The spaces between columns in a terminal."""

PER_TARGET = "per target"
"""The text of a column of a Markdown row if its targets differ; then the cell of each target has its own text."""

NOTHING_MEASURED = "Nothing was measured that a claim is about."


def render_terminal(board: ClaimBoard, width: int = 100) -> str:
    """Return *board* as plain text of at most *width* columns."""
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, emoji=False, markup=False, highlight=False)
    console.print(Group(*_terminal_parts(board, width)))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def render_markdown(board: ClaimBoard, longest: int = MAX_COMMENT_LENGTH) -> str:
    """Return *board* as Markdown of at most *longest* characters (UTF-16 units, as GitHub counts)."""
    text = "## Claims\n\n"
    lines = [f"- {code(target.name)}: {_summary(board, target)}\n" for target in board.targets[:MAX_LINES]]
    lines += [f"- {plain(each, 400)}\n" for each in (*_flips(board), *board.notes)][:MAX_LINES]
    text += fit_rows(lines, longest // 5, "claims.json") + "\n"
    claims = [_ClaimDecisions.of(board, claim) for claim in board.claims if _shown(board, claim)]
    if not claims:
        return f"{text}{NOTHING_MEASURED}\n"
    columns = (*MARKDOWN_COLUMNS, *map(_target_column, board.targets))
    head = _markdown_row(column.title for column in columns) + f"|{'---|' * len(columns)}\n"
    rows = [_markdown_row(column.cell(each) for column in columns) for each in claims]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _TerminalColumn:
    """A column of the board in a terminal."""

    title: str
    """The text of the header; the column is at least as wide."""
    cell: Callable[[ClaimStatement, DecidedClaim], str]
    """Returns the text of a row."""
    justify: JustifyMethod = "left"
    """The alignment of the cells and the title."""
    shrink_order: int | None = None
    """When the column shrinks if the terminal is narrow, smallest first; None if it keeps its width."""


TERMINAL_COLUMNS = (
    _TerminalColumn(title="target", cell=lambda _, decision: decision.target, shrink_order=4),
    _TerminalColumn(title="decision", cell=lambda _, decision: _label(decision.decision)),
    _TerminalColumn(title="ratio", cell=lambda _, decision: _ratio(decision), justify="right"),
    _TerminalColumn(title="interval", cell=lambda _, decision: _interval(decision), justify="right"),
    _TerminalColumn(title="claimed", cell=lambda _, decision: _band(_decisive(decision)), shrink_order=2),
    _TerminalColumn(
        title="published",
        cell=lambda claim, decision: _published(_decisive(decision), claim.published_text),
        shrink_order=1,
    ),
    _TerminalColumn(title="parameters", cell=lambda _, decision: _given(decision.given), shrink_order=3),
)


def _terminal_parts(board: ClaimBoard, width: int) -> Iterator[RenderableType]:
    yield from (_line(f"{target.name}: {_summary(board, target)}") for target in board.targets)
    yield from map(_line, (*_flips(board), *board.notes))
    shown = {claim: decisions for claim in board.claims if (decisions := _shown(board, claim))}
    rows = {claim: [_terminal_row(claim, each) for each in decisions] for claim, decisions in shown.items()}
    titles = [column.title for column in TERMINAL_COLUMNS]
    widths = _column_widths([titles, *(row for each in rows.values() for row in each)], width - INDENT)
    if shown:
        yield Text()
        yield _terminal_table([titles], widths)
    for claim, decisions in shown.items():
        yield _line(f"{claim.id}  {visible(claim.sentence, MAX_SENTENCE)}")
        yield _terminal_table(rows[claim], widths)
        for each in decisions:
            for line in (*([each.reason] if each.reason else ()), *_figure_lines(each)):
                yield Padding(_line(f"{each.target}: {line}"), (0, 0, 0, INDENT))
    if not any(each.is_measured for each in board.decisions):
        yield _line(NOTHING_MEASURED)


def _terminal_row(claim: ClaimStatement, decision: DecidedClaim) -> list[str]:
    return [visible(column.cell(claim, decision), MAX_CELL) for column in TERMINAL_COLUMNS]


def _column_widths(rows: Iterable[Sequence[str]], width: int) -> list[int]:
    """Return the widths of the columns of *rows*; where they exceed *width*, columns shrink in their order."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    excess = sum(widths) + GAP * (len(widths) - 1) - width
    order = {
        index: column.shrink_order for index, column in enumerate(TERMINAL_COLUMNS) if column.shrink_order is not None
    }
    for index in sorted(order, key=order.__getitem__):
        narrower = max(len(TERMINAL_COLUMNS[index].title), widths[index] - max(0, excess))
        excess -= widths[index] - narrower
        widths[index] = narrower
    return widths


def _terminal_table(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> Padding:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, GAP, 0, 0))
    for column, width in zip(TERMINAL_COLUMNS, widths, strict=True):
        table.add_column(width=width, justify=column.justify, no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*map(Text, row))
    return Padding(table, (0, 0, 0, INDENT))


def _line(text: str) -> Text:
    return Text(visible(text, MAX_SENTENCE))


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimDecisions:
    """A claim with its decisions: a row of the board in Markdown."""

    claim: ClaimStatement
    """The claim."""
    decisions: Mapping[str, DecidedClaim]
    """The decision at each target, by its name."""
    bands: Mapping[str, str]
    """The band at each target that measured the claim."""
    published: Mapping[str, str]
    """The published ratio at each target that measured the claim; targets differ if different tests decide."""

    @classmethod
    def of(cls, board: ClaimBoard, claim: ClaimStatement) -> Self:
        """Return *claim* with its decisions on *board*."""
        shown, text = _shown(board, claim), plain(claim.published_text, 60)
        return cls(
            claim=claim,
            decisions={each.target: each for each in board.decisions if each.claim == claim.id},
            bands={each.target: _band(_decisive(each)) for each in shown},
            published={each.target: _published(_decisive(each), text) for each in shown},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _MarkdownColumn:
    """A column of the board in Markdown; all are aligned left."""

    title: str
    """The text of the header, in Markdown."""
    cell: Callable[[_ClaimDecisions], str]
    """Returns the text of a row, in Markdown."""


MARKDOWN_COLUMNS = (
    _MarkdownColumn(title="id", cell=lambda row: plain(row.claim.id, 20)),
    _MarkdownColumn(title="claim", cell=lambda row: plain(row.claim.sentence, 300)),
    _MarkdownColumn(title="claimed", cell=lambda row: _common_text(row.bands)),
    _MarkdownColumn(title="published", cell=lambda row: _common_text(row.published)),
)
"""The columns before those of the targets."""


def _target_column(target: ClaimTarget) -> _MarkdownColumn:
    return _MarkdownColumn(title=code(target.name, 60), cell=lambda row: _target_cell(row, target.name))


def _target_cell(row: _ClaimDecisions, target: str) -> str:
    """Return the decision at *target* with its ratio, and what only applies to this target."""
    decision = row.decisions.get(target)
    if decision is None or decision.decision is Decision.OUT_OF_SCOPE:
        return ""
    if not (decision.is_measured and decision.tests):
        return DASH
    label, ratio_text = _label(decision.decision), _ratio(decision)
    lines = [f"**{label}**" if decision.is_decided else label]
    lines += [f"{ratio_text} ({_interval(decision)})"] if ratio_text else []
    for title, texts in (("claimed", row.bands), ("published", row.published)):
        if _common_text(texts) == PER_TARGET and texts[target]:
            lines.append(f"{title}: {texts[target]}")
    return "<br>".join(lines)


def _common_text(texts: Mapping[str, str]) -> str:
    """Return the text of all targets, `PER_TARGET` if they differ."""
    return next(iter(texts.values())) if len(set(texts.values())) == 1 else PER_TARGET


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _markdown_line(decision: DecidedClaim, text: str) -> str:
    return f"- {plain(decision.claim, 20)} on {code(decision.target, 60)}: {plain(text, 300)}\n"


def _shown(board: ClaimBoard, claim: ClaimStatement) -> list[DecidedClaim]:
    """Return the decisions on *claim* at targets that measured any of its cases."""
    return [each for each in board.decisions if each.claim == claim.id and each.tests and each.is_measured]


def _decisive(decision: DecidedClaim) -> DecidedTest:
    return decision.tests[decision.decisive]


def _ratio(decision: DecidedClaim) -> str:
    """Return the ratio of the test that decides; empty if it has none."""
    found = format_ratio(_decisive(decision))
    return found.value if found else ""


def _interval(decision: DecidedClaim) -> str:
    """Return the interval of the test that decides; empty if it has none."""
    found = format_ratio(_decisive(decision))
    return (found.interval or "") if found else ""


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
    """Yield a sentence for each flip, those between targets first."""
    for pair in board.target_flips:
        yield f"{pair.claim} holds on {_listed(pair.holds)} and fails on {_listed(pair.fails)}."
    for flip in board.commit_flips[:MAX_FLIPS]:
        was, now = ("held", "fails") if flip.before is Decision.HOLDS else ("failed", "holds")
        commits = f"{was} on commit {flip.before_commit[:8]} and {now} on {flip.after_commit[:8]}"
        yield f"{flip.claim} {commits} ({flip.target})."
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
