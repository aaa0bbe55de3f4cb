"""Figures as SVG or PNG, for issues and READMEs; the only code that asks matplotlib, which is an extra."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from windtunnel.analysis.lines import Line
from windtunnel.errors import ConfigurationError, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("svg", "png")
MOST_LINES = 10
"""More cannot be told apart."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c564b", "#7f7f7f", "#bcbd22")
"""The first seven: Okabe and Ito, Color Universal Design, 2008, which colour-blind readers tell apart."""
MARKS = "osD^vPX*<>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What is drawn: *lines* in *unit*, and the positions of *changes*; *dots* sets newest values side by side."""

    title: str
    unit: str
    lines: tuple[Line, ...]
    changes: tuple[int, ...] = ()
    dots: bool = False


def draw(plot: Plot, form: str) -> bytes:
    """Return *plot* as an SVG or PNG file; equal plots give equal bytes.

    Raises ConfigurationError where matplotlib is not installed, UsageError where there is nothing to draw.
    """
    if not plot.lines:
        raise UsageError(f"{plot.title} has no values to draw; windtunnel publish shows what was measured")
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise ConfigurationError(
            "drawing needs matplotlib, which is not installed; get it with pip install 'windtunnel[plot]'"
        ) from None
    style: dict[Any, Any] = {
        "svg.hashsalt": "windtunnel",
        "svg.fonttype": "path",
        "text.parse_math": False,
        "font.size": 9.0,
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(8, 4), dpi=150, layout="constrained")
        axes = figure.add_subplot()
        (_dots if plot.dots else _history)(axes, plot)
        axes.set_title(_printable(plot.title), loc="left")
        content = BytesIO()
        metadata: dict[str, Any] = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(content, format=form, metadata=metadata)
    return content.getvalue()


def _history(axes: "Axes", plot: Plot) -> None:
    for index, line in enumerate(plot.lines[:MOST_LINES]):
        positions = [point.position for point in line.points]
        colour = COLOURS[index]
        low, high = [point.low for point in line.points], [point.high for point in line.points]
        axes.fill_between(positions, low, high, color=colour, alpha=0.2, linewidth=0)
        values = [point.value for point in line.points]
        label = _printable(line.label)
        axes.plot(positions, values, color=colour, marker=MARKS[index], markersize=3, linewidth=1, label=label)
    for position in plot.changes:
        axes.axvline(position, color="#444", linewidth=0.8, linestyle="--")
    axes.set_xlabel("measured commits, oldest first")
    axes.set_ylabel(_printable(plot.unit))
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=7)


def _dots(axes: "Axes", plot: Plot) -> None:
    newest = [line.points[-1] for line in plot.lines]
    places = range(len(newest))
    errors = [
        [point.value - point.low for point in newest],
        [point.high - point.value for point in newest],
    ]
    axes.errorbar([point.value for point in newest], places, xerr=errors, fmt="o", color=COLOURS[0], capsize=3)
    axes.set_yticks(list(places), [_printable(line.label) for line in plot.lines])
    axes.invert_yaxis()
    axes.set_xlim(left=min(0.0, *(point.low for point in newest)))
    axes.set_xlabel(_printable(plot.unit))
    axes.grid(visible=True, axis="x", alpha=0.3)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:120]


def changes_at(commits: Sequence[str], changed: Sequence[str]) -> tuple[int, ...]:
    """Return where the *changed* commits stand among all."""
    wanted = set(changed)
    return tuple(position for position, commit in enumerate(commits) if commit in wanted)
