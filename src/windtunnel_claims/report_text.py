"""The claim board for a terminal: the findings in sentences, then a table of each claim."""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from windtunnel.text.escaping import visible
from windtunnel_claims.format import ClaimBoard, DecidedClaim
from windtunnel_claims.report_rows import (
    NOTHING_MEASURED,
    ReportRow,
    answer_text,
    figure_lines,
    flip_sentences,
    instruction_lines,
    method,
    readable,
    rows_of,
    shown_decisions,
    summary,
)

MAX_SENTENCE = 400
"""Characters of a sentence."""

MAX_CELL = 40
"""Characters of a table cell."""

INDENT = 2
"""The spaces before a row."""

GAP = 2
"""The spaces between columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column of the board."""

    title: str
    """The text of the header; the column is at least as wide."""
    cell: Callable[[ReportRow, DecidedClaim], str]
    """Returns the text of a row."""
    justify: JustifyMethod = "left"
    """The alignment of the cells and the title."""
    shrink_order: int | None = None
    """When the column shrinks if the terminal is narrow, smallest first; None if it keeps its width."""


TEST = _Column(title="test", cell=lambda row, _: _test_number(row))
"""The column of a board with a claim that has several tests; a line above the rows says what each tests."""

COLUMNS = (
    _Column(title="target", cell=lambda row, decision: decision.target if row.is_first else "", shrink_order=4),
    TEST,
    _Column(title="decision", cell=lambda row, decision: row.decision(decision)),
    _Column(title="ratio", cell=lambda row, decision: row.ratio(decision), justify="right"),
    _Column(title="interval", cell=lambda row, decision: row.interval(decision), justify="right"),
    _Column(title="claimed", cell=lambda row, decision: row.band(decision), shrink_order=2),
    _Column(
        title="published", cell=lambda row, decision: row.published(decision, row.claim.published_text), shrink_order=1
    ),
    _Column(title="parameters", cell=lambda row, decision: _given(decision) if row.is_first else "", shrink_order=3),
)


def render_terminal(board: ClaimBoard, width: int = 100) -> str:
    """Return the findings and the table of *board* as plain text of at most *width* columns."""
    return render_findings(board, width) + render_board(board, width)


def render_findings(board: ClaimBoard, width: int = 100) -> str:
    """Return the findings of *board* that have an answer, and an empty line; empty if none has."""
    return _rendered(_findings(board), width)


def render_board(board: ClaimBoard, width: int = 100) -> str:
    """Return *board* without its findings."""
    return _rendered(_parts(board, width), width)


def _rendered(parts: Iterable[RenderableType], width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, emoji=False, markup=False, highlight=False)
    console.print(Group(*parts))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _parts(board: ClaimBoard, width: int) -> Iterator[RenderableType]:
    yield from (_line(f"{target.name}: {summary(board, target)}") for target in board.targets)
    yield from (_line(text) for text in (method(board), *flip_sentences(board), *board.notes) if text)
    decisions = shown_decisions(board)
    shown = [(claim, rows) for claim in board.claims if (rows := rows_of(claim, decisions[claim.id]))]
    several = any(len(rows) > 1 for _, rows in shown)
    columns = [column for column in COLUMNS if several or column is not TEST]
    tables = [
        [_cells(columns, row, decision) for decision in decisions[claim.id] for row in rows] for claim, rows in shown
    ]
    titles = [column.title for column in columns]
    widths = _widths(columns, [titles, *(cells for table in tables for cells in table)], width - INDENT)
    if shown:
        yield Text()
        yield _table(columns, [titles], widths)
    for (claim, rows), table in zip(shown, tables, strict=True):
        yield _line(f"{claim.id}  {visible(claim.sentence, MAX_SENTENCE)}")
        for row in rows[1:]:
            yield _indented(f"test {_test_number(row)}: {row.label}")
        yield _table(columns, table, widths)
        for each in decisions[claim.id]:
            for line in (*([each.reason] if each.reason else ()), *instruction_lines(each), *figure_lines(each)):
                yield _indented(f"{each.target}: {line}")
    if not any(each.is_measured for each in board.decisions):
        yield _line(NOTHING_MEASURED)


def _findings(board: ClaimBoard) -> Iterator[RenderableType]:
    """Yield the questions that have an answer, with their answers."""
    answered = [finding for finding in board.findings if finding.answers]
    for finding in answered:
        yield _line(finding.question)
        for answer in finding.answers:
            yield _indented(answer_text(finding, answer))
        if finding.caveat:
            yield _indented(finding.caveat)
    if answered:
        yield Text()


def _cells(columns: Sequence[_Column], row: ReportRow, decision: DecidedClaim) -> list[str]:
    return [visible(column.cell(row, decision), MAX_CELL) for column in columns]


def _widths(columns: Sequence[_Column], rows: Iterable[Sequence[str]], width: int) -> list[int]:
    """Return the widths of *columns* for *rows*; where they exceed *width*, columns shrink in their order."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    excess = sum(widths) + GAP * (len(widths) - 1) - width
    order = {index: column.shrink_order for index, column in enumerate(columns) if column.shrink_order is not None}
    for index in sorted(order, key=order.__getitem__):
        narrower = max(len(columns[index].title), widths[index] - max(0, excess))
        excess -= widths[index] - narrower
        widths[index] = narrower
    return widths


def _table(columns: Sequence[_Column], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> Padding:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, GAP, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        table.add_column(width=width, justify=column.justify, no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*map(Text, row))
    return Padding(table, (0, 0, 0, INDENT))


def _indented(text: str) -> Padding:
    return Padding(_line(text), (0, 0, 0, INDENT))


def _line(text: str) -> Text:
    return Text(visible(text, MAX_SENTENCE))


def _test_number(row: ReportRow) -> str:
    """Return the number of the test of *row*, from 1; empty if it is the only one."""
    if row.tests == 1:
        return ""
    return "all" if row.test is None else str(row.test + 1)


def _given(decision: DecidedClaim) -> str:
    return ", ".join(readable(setting.value) for setting in decision.given)
