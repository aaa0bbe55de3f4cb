"""Figures as SVG or PNG, for issues and READMEs; the only code that asks matplotlib, which is an extra."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import isfinite
from typing import TYPE_CHECKING, Any

from windtunnel.errors import ConfigurationError, UsageError
from windtunnel.publish.lines import Line, Point
from windtunnel.text.numbers import scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("svg", "png")
MOST_LINES = 10
"""More cannot be told apart."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c564b", "#7f7f7f", "#bcbd22")
"""The first seven: Okabe and Ito, Color Universal Design, 2008, which colour-blind readers tell apart."""
MARKS = "osD^vPX*<>"
INK = "#444"
MOST_MARKS = 60
"""Points of a line; the marks of more run into each other."""
FAR = 20
"""Greatest over least value, from which on the axis is logarithmic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A commit that begins a new level, at its position."""

    position: int
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What is drawn: *lines* in *unit*, and *changes* of level; *dots* sets newest values side by side."""

    title: str
    unit: str
    lines: tuple[Line, ...]
    changes: tuple[Mark, ...] = ()
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
        "axes.spines.top": False,
        "axes.spines.right": False,
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
    lines = plot.lines[:MOST_LINES]
    factor, unit = _scale(lines, plot.unit)
    few = max(len(line.points) for line in lines) <= MOST_MARKS
    for line, colour, mark in zip(lines, COLOURS, MARKS, strict=False):
        positions = [point.position for point in line.points]
        low, value, high = _scaled(line.points, factor)
        axes.fill_between(positions, low, high, color=colour, alpha=0.2, linewidth=0)
        shown = mark if few else ","
        axes.plot(positions, value, color=colour, marker=shown, markersize=3, linewidth=1, label=_printable(line.label))
    for change in plot.changes:
        axes.axvline(change.position, color=INK, linewidth=0.8, linestyle="--")
        axes.annotate(
            change.commit[:8],
            (change.position, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(3, 2),
            textcoords="offset points",
            fontsize=7,
            color=INK,
        )
    if _reaches_far(lines):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("measured commits, oldest first")
    axes.locator_params(axis="x", integer=True)
    axes.set_ylabel(_printable(unit))
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _dots(axes: "Axes", plot: Plot) -> None:
    factor, unit = _scale(plot.lines, plot.unit)
    newest = [line.points[-1] for line in plot.lines]
    low, value, high = _scaled(newest, factor)
    places = range(len(newest))
    below = [each - limit for each, limit in zip(value, low, strict=True)]
    above = [limit - each for each, limit in zip(value, high, strict=True)]
    axes.errorbar(
        value, places, xerr=(below, above), fmt="o", markersize=4, color=COLOURS[0], capsize=4, elinewidth=1.2
    )
    axes.set_yticks(list(places), [_label(line) for line in plot.lines])
    axes.set_ylim(len(newest) - 0.5, -0.5)
    axes.set_xlim(left=min([0.0, *filter(isfinite, low)]))
    axes.set_xlabel(_printable(unit))
    axes.grid(visible=True, axis="x", alpha=0.3)


def _label(line: Line) -> str:
    failed = "" if isfinite(line.points[-1].value) else " (failed)"
    return f"{_printable(line.label)}{failed}"


def _scale(lines: Sequence[Line], unit: str) -> tuple[float, str]:
    """Return by what values are divided, and what the unit is called then: that of the largest value."""
    return scale(max((abs(value) for value in _values(lines)), default=0.0), unit)


def _reaches_far(lines: Sequence[Line]) -> bool:
    """Tell whether the smaller lines would lie flat on the axis."""
    values = _values(lines)
    return min(values) > 0 and max(values) / min(values) > FAR


def _values(lines: Sequence[Line]) -> list[float]:
    return [point.value for line in lines for point in line.points if isfinite(point.value)]


def _scaled(points: Sequence[Point], factor: float) -> tuple[list[float], list[float], list[float]]:
    """Return low limits, values and high limits."""
    return (
        [point.low / factor for point in points],
        [point.value / factor for point in points],
        [point.high / factor for point in points],
    )


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:120]


def changes_at(commits: Sequence[str], changed: Sequence[str]) -> tuple[Mark, ...]:
    """Return where the *changed* commits stand among all."""
    wanted = set(changed)
    return tuple(Mark(position=place, commit=commit) for place, commit in enumerate(commits) if commit in wanted)
