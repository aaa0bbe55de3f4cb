"""A claim board for the terminal: every claim with its sentence, and below it what each Python makes of it."""

import io
from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from windtunnel.claims import report_text
from windtunnel.claims.format import ClaimBoard, DecidedClaim, StatedClaim
from windtunnel.text.escaping import visible

COLUMNS = ("Python", "decision", "ratio", "interval", "claimed", "article", "")
Row = tuple[str, ...]

LONGEST_SENTENCE = 400
LONGEST_CELL = 40


def terminal(board: ClaimBoard, width: int = 100) -> str:
    """Return *board* as plain text of at most *width* columns."""
    out = io.StringIO()
    Console(file=out, width=width, color_system=None, emoji=False, markup=False, highlight=False).print(_board(board))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _board(board: ClaimBoard) -> Group:
    parts: list[RenderableType] = [
        _line(f"{place.name}: {report_text.summary(board, place)}") for place in board.places
    ]
    parts += [_line(each) for each in report_text.flips(board)]
    parts += [_line(note) for note in board.notes]
    parts += _claims(board)
    parts += (
        [_line("Nothing was measured that a claim is about.")]
        if not any(map(report_text.tried, board.decisions))
        else []
    )
    return Group(*parts)


def _claims(board: ClaimBoard) -> Iterator[RenderableType]:
    shown = [(claim, told) for claim in board.claims if (told := _told(board, claim))]
    rows = {claim.id: [_row(claim, one) for one in told] for claim, told in shown}
    widths = [
        max(map(len, cells)) for cells in zip(COLUMNS, *(row for each in rows.values() for row in each), strict=True)
    ]
    if shown:
        yield Text()
        yield Padding(_table([COLUMNS], widths), (0, 0, 0, 2))
    for claim, told in shown:
        yield _line(f"{claim.id}  {visible(claim.sentence, LONGEST_SENTENCE)}")
        yield Padding(_table(rows[claim.id], widths), (0, 0, 0, 2))
        for one in told:
            for said in (*([one.reason] if one.reason else ()), *report_text.beside(one)):
                yield Padding(_line(f"{one.place}: {said}"), (0, 0, 0, 2))


def _told(board: ClaimBoard, claim: StatedClaim) -> list[DecidedClaim]:
    """Return the decisions on *claim* where anything was measured."""
    return [one for one in board.decisions if one.claim == claim.id and one.tests and report_text.tried(one)]


def _row(claim: StatedClaim, one: DecidedClaim) -> Row:
    test = one.tests[one.decisive]
    figures = report_text.figures(test)
    cells = (
        one.place,
        report_text.word(one.decision),
        figures.value if figures else "",
        (figures.interval or "") if figures else "",
        report_text.band(test),
        report_text.article(test, claim.article_says),
        report_text.given(one.given),
    )
    return tuple(visible(cell, LONGEST_CELL) for cell in cells)


def _table(rows: Sequence[Row], widths: Sequence[int]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for index, width in enumerate(widths):
        table.add_column(width=width, justify="right" if 2 <= index <= 3 else "left", no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _line(text: str) -> Text:
    return Text(visible(text, LONGEST_SENTENCE))
