"""The claim board for GitHub: the findings as a list, a table of all claims, and the reasons of undecided ones."""

from collections.abc import Iterable, Mapping, Sequence

from windtunnel.text.escaping import MAX_COMMENT_LENGTH, code, fit_rows, plain, size
from windtunnel.text.numbers import DASH
from windtunnel_claims.format import ClaimBoard, DecidedClaim, Decision
from windtunnel_claims.report_rows import (
    NOTHING_MEASURED,
    ReportRow,
    answer_text,
    figure_lines,
    flip_sentences,
    instruction_lines,
    method,
    rows_of,
    shown_decisions,
    summary,
)

MAX_LINES = 50
"""The lines for targets, and those for flips and notes."""

BOARD_SHARE = 0.7
"""The share of the text that the board may take; the rest is for flips and reasons."""

FIGURES_SHARE = 0.1
"""The share of the text that figures may take."""

PER_TARGET = "per target"
"""The claimed band of a row whose targets differ, such as in cores; then the cell of each target has its own."""

COLUMNS = ("id", "claim", "claimed", "published")
"""The columns before those of the targets."""


def render_markdown(board: ClaimBoard, longest: int = MAX_COMMENT_LENGTH) -> str:
    """Return *board* as Markdown of at most *longest* characters (UTF-16 units, as GitHub counts)."""
    text = "## Claims\n\n"
    if findings := [*_findings(board)]:
        text += fit_rows(findings, longest // 5, "claims.json") + "\n"
    lines = [f"- {code(target.name)}: {summary(board, target)}\n" for target in board.targets[:MAX_LINES]]
    sentences = [each for each in (method(board), *flip_sentences(board), *board.notes) if each]
    lines += [f"- {plain(each, 400)}\n" for each in sentences][:MAX_LINES]
    text += fit_rows(lines, longest // 5, "claims.json") + "\n"
    shown, at_targets = shown_decisions(board), _by_target(board)
    names = [target.name for target in board.targets]
    rows = [
        _row(row, shown[claim.id], [at_targets.get((claim.id, name)) for name in names])
        for claim in board.claims
        for row in rows_of(claim, shown[claim.id])
    ]
    if not rows:
        return f"{text}{NOTHING_MEASURED}\n"
    titles = (*COLUMNS, *(code(target.name, 60) for target in board.targets))
    head = _line(titles) + f"|{'---|' * len(titles)}\n"
    text += head + fit_rows(rows, int(longest * BOARD_SHARE) - size(text) - size(head), "claims.json") + "\n"
    measured = [each for each in board.decisions if each.is_measured]
    noted = ((each, line) for each in measured for line in (*instruction_lines(each), *figure_lines(each)))
    if figures := [_note(*each) for each in noted]:
        text += fit_rows(figures, int(longest * (BOARD_SHARE + FIGURES_SHARE)) - size(text), "claims.json") + "\n"
    reasons = [_note(each, each.reason) for each in measured if each.reason]
    start, end = f"<details><summary>{len(reasons)} undecided</summary>\n\n", "\n</details>\n"
    folded = fit_rows(reasons, longest - size(text) - size(start) - size(end), "claims.json")
    return text + (start + folded + end if folded else "")


def _findings(board: ClaimBoard) -> Iterable[str]:
    """Yield the questions that have an answer, with their answers and the caveat."""
    for finding in board.findings:
        if finding.answers:
            parts = [*(answer_text(finding, answer) for answer in finding.answers), finding.caveat]
            yield f"- **{plain(finding.question, 200)}** {' '.join(plain(part, 400) for part in parts if part)}\n"


def _by_target(board: ClaimBoard) -> Mapping[tuple[str, str], DecidedClaim]:
    return {(decision.claim, decision.target): decision for decision in board.decisions}


def _row(row: ReportRow, shown: Sequence[DecidedClaim], at_targets: Sequence[DecidedClaim | None]) -> str:
    """Return *row* with a cell for each of the decisions *at_targets*."""
    bands = {each.target: row.band(each) for each in shown}
    words = plain(row.claim.published_text, 60)
    published = next((text for each in shown if (text := row.published(each, words))), "")
    cells = [_cell(row, decision, bands) for decision in at_targets]
    name, sentence = (row.claim.id, row.claim.sentence) if row.is_first else ("", row.label)
    return _line([plain(name, 20), plain(sentence, 300), _common_band(bands), published, *cells])


def _cell(row: ReportRow, decision: DecidedClaim | None, bands: Mapping[str, str]) -> str:
    """Return the decision at a target with its ratio, and the band if it is that of this target only."""
    if decision is None or decision.decision is Decision.OUT_OF_SCOPE:
        return ""
    if not (decision.is_measured and decision.tests):
        return DASH
    text = row.decision(decision)
    lines = [text if text == "undecided" else f"**{text}**"]
    if ratio := row.ratio(decision):
        lines.append(f"{ratio} ({row.interval(decision)})")
    if _common_band(bands) == PER_TARGET and bands[decision.target]:
        lines.append(f"claimed: {bands[decision.target]}")
    return "<br>".join(lines)


def _common_band(bands: Mapping[str, str]) -> str:
    """Return the band of all targets, `PER_TARGET` if they differ."""
    return next(iter(bands.values())) if len(set(bands.values())) == 1 else PER_TARGET


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _note(decision: DecidedClaim, text: str) -> str:
    return f"- {plain(decision.claim, 20)} on {code(decision.target, 60)}: {plain(text, 300)}\n"
