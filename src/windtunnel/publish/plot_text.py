"""The text twin of a plot: an image with a sentence instead of it, and a table with its figures, as Markdown."""

from math import isfinite

from windtunnel.publish.plot import MAX_ALTERNATIVE, MAX_LINES, Plot, PlotLine, PlotPoint
from windtunnel.text.escaping import plain, visible
from windtunnel.text.numbers import count, quantity

MAX_SAID = 4
"""Lines in the sentence; the table has all."""


def alternative(plot: Plot) -> str:
    """Return the sentence that replaces the picture for readers who do not see it."""
    shown = plot.lines[:MAX_SAID]
    values = "; ".join(f"{visible(line.label)} {_figure(line.points[-1], plot.unit)}" for line in shown)
    left = len(plot.lines) - len(shown)
    changes = f"; {count(len(plot.changes), 'change')} of level" if plot.changes else ""
    return f"{visible(plot.title)}, newest values: {values}{f'; and {left} more' if left else ''}{changes}"


def render_markdown(plot: Plot, image: str) -> str:
    """Return the picture at the address *image* with its alternative, and a table of the same figures below it."""
    lines = plot.lines if plot.dots else plot.lines[:MAX_LINES]
    head = ["case", "newest", *([] if plot.dots else ["lowest", "highest", "commits"])]
    rows = [_row(head), _row(["---"] * len(head)), *(_row(_cells(line, plot)) for line in lines)]
    changes = ", ".join(change.commit[:8] for change in plot.changes)
    return "\n".join(
        (
            f"![{plain(alternative(plot), MAX_ALTERNATIVE)}]({image})",
            "",
            "<details><summary>The figures</summary>",
            "",
            *rows,
            *(("", f"Changes of level: {changes}.") if changes else ()),
            "",
            "</details>",
            "",
        )
    )


def _cells(line: PlotLine, plot: Plot) -> list[str]:
    own = [plain(line.label), plain(_figure(line.points[-1], plot.unit))]
    if plot.dots:
        return own
    values = [point.value for point in line.points if isfinite(point.value)]
    ends = (quantity(value, None, plot.unit).value for value in (min(values), max(values)))
    return [*own, *map(plain, ends), str(len(line.points))]


def _figure(point: PlotPoint, unit: str) -> str:
    """Return the value with its interval."""
    if not isfinite(point.value):
        return "failed"
    has_interval = isfinite(point.low) and isfinite(point.high) and point.low < point.high
    found = quantity(point.value, (point.low, point.high) if has_interval else None, unit)
    return f"{found.value} ({found.interval})" if found.interval else found.value


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
