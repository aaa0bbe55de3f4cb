"""Plots one benchmark as SVG or PNG, for issues and READMEs: its history, or its newest values side by side.

The text twin of an image is a sentence instead of it, and a table with its figures, as Markdown. This is the only
module that imports matplotlib, which is an extra.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from windtunnel.errors import ConfigurationError, UsageError
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.run import CommitHistory, ResultsTree
from windtunnel.model.target import all_targets
from windtunnel.publish.figures import shown_result
from windtunnel.publish.format.results import MeasuredResult
from windtunnel.publish.overview import readable
from windtunnel.text.escaping import visible
from windtunnel.text.numbers import count, quantity, scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("svg", "png")
MAX_LINES = 10
"""Lines of a history: readers cannot distinguish more."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c564b", "#7f7f7f", "#bcbd22")
"""The first seven are those of Okabe and Ito, Color Universal Design, 2008, which colour-blind readers distinguish."""
MARKS = "osD^vPX*<>"
INK = "#444"
MAX_ALTERNATIVE = 1_000
"""Characters of the title of an image, which screen readers read."""
MAX_SAID = 4
"""Lines in the sentence; the table has all."""
MAX_MARKERS = 60
"""Points of a line that are drawn with markers; those of more points overlap."""
LOG_AXIS_RATIO = 20
"""The ratio of the largest to the smallest value above which the axis is logarithmic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotPoint:
    """A value of a line."""

    position: int
    """The index among the measured commits."""
    value: float
    """NaN where the case failed: the line has a gap."""
    low: float
    """The lower limit of the interval; the value where there is none."""
    high: float
    """The upper limit of the interval; the value where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotLine:
    """A case at a target."""

    label: str
    """A name that no other line of the benchmark has."""
    points: tuple[PlotPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What to draw."""

    title: str
    unit: str
    lines: tuple[PlotLine, ...]
    changes: tuple[tuple[int, str], ...] = ()
    """Commits that begin a new level, each with its index among the measured ones."""
    dots: bool = False
    """Whether to draw the newest values side by side instead of the history."""


def plot_lines(tree: ResultsTree, benchmark: Benchmark, history: CommitHistory) -> tuple[PlotLine, ...]:
    """Return the lines of *benchmark*'s present version, in the order of Pythons and of the suite's parameters."""
    measured = {run.commit for run in tree.runs}
    order = [commit.hash for commit in history.commits if commit.hash in measured]
    positions = {commit: position for position, commit in enumerate(order)}
    names = {target.key: target.name for target in all_targets(tree.runs)}
    points: dict[str, list[PlotPoint]] = defaultdict(list)
    for run in tree.runs:
        row = run.row(benchmark.name)
        if run.commit not in positions or row is None or not benchmark.is_current(row.version):
            continue
        for params, result in row.cases():
            shown = shown_result(result)
            if isinstance(shown, MeasuredResult) or shown == "failed":
                label = ", ".join((*map(readable, params), names[run.machine, run.environment.name]))
                points[label].append(_point(positions[run.commit], shown))
    lines = (
        PlotLine(label=label, points=tuple(sorted(found, key=lambda point: point.position)))
        for label, found in points.items()
    )
    return tuple(line for line in lines if any(isfinite(point.value) for point in line.points))


def _point(position: int, result: MeasuredResult | str) -> PlotPoint:
    if isinstance(result, str):
        return PlotPoint(position=position, value=nan, low=nan, high=nan)
    low, high = result.interval or (result.value, result.value)
    return PlotPoint(position=position, value=result.value, low=low, high=high)


def draw(plot: Plot, form: str, alternative: str = "") -> bytes:
    """Return *plot* as an SVG or PNG file, whose title is *alternative*; equal plots give equal bytes.

    Raises ConfigurationError where matplotlib is not installed, and UsageError where there is nothing to draw.
    """
    if not plot.lines:
        raise UsageError(f"{plot.title} has no values to draw; windtunnel publish shows all results")
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from matplotlib.figure import Figure as Canvas  # noqa: PLC0415
    except ImportError:
        raise ConfigurationError(
            "plotting needs matplotlib, which is not installed; run: pip install 'windtunnel[plot]'"
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
        figure = Canvas(figsize=(8, 4), dpi=150, layout="constrained")
        axes = figure.add_subplot()
        (_dots if plot.dots else _history)(axes, plot)
        axes.set_title(_printable(plot.title), loc="left")
        content = BytesIO()
        metadata: dict[str, Any] = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        metadata |= {"Title": _printable(alternative, MAX_ALTERNATIVE)} if alternative else {}
        figure.savefig(content, format=form, metadata=metadata)
    return content.getvalue()


def _history(axes: "Axes", plot: Plot) -> None:
    lines = plot.lines[:MAX_LINES]
    factor, unit = _scale(lines, plot.unit)
    few = max(len(line.points) for line in lines) <= MAX_MARKERS
    for line, colour, mark in zip(lines, COLOURS, MARKS, strict=False):
        positions = [point.position for point in line.points]
        low, value, high = _scaled(line.points, factor)
        axes.fill_between(positions, low, high, color=colour, alpha=0.2, linewidth=0)
        shown = mark if few else ","
        axes.plot(positions, value, color=colour, marker=shown, markersize=3, linewidth=1, label=_printable(line.label))
    for position, commit in plot.changes:
        axes.axvline(position, color=INK, linewidth=0.8, linestyle="--")
        axes.annotate(
            commit[:8],
            (position, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(3, 2),
            textcoords="offset points",
            fontsize=7,
            color=INK,
        )
    if _needs_log_axis(lines):
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
    rows = range(len(newest))
    below = [each - limit for each, limit in zip(value, low, strict=True)]
    above = [limit - each for each, limit in zip(value, high, strict=True)]
    axes.errorbar(value, rows, xerr=(below, above), fmt="o", markersize=4, color=COLOURS[0], capsize=4, elinewidth=1.2)
    axes.set_yticks(list(rows), [_label(line) for line in plot.lines])
    axes.set_ylim(len(newest) - 0.5, -0.5)
    axes.set_xlim(left=min([0.0, *filter(isfinite, low)]))
    axes.set_xlabel(_printable(unit))
    axes.grid(visible=True, axis="x", alpha=0.3)


def _label(line: PlotLine) -> str:
    failed = "" if isfinite(line.points[-1].value) else " (failed)"
    return f"{_printable(line.label)}{failed}"


def _scale(lines: Sequence[PlotLine], unit: str) -> tuple[float, str]:
    """Return the divisor of the values and the name of their unit then, which fits the largest value."""
    return scale(max((abs(value) for value in _values(lines)), default=0.0), unit)


def _needs_log_axis(lines: Sequence[PlotLine]) -> bool:
    """Return whether the smaller lines would be flat on a linear axis."""
    values = _values(lines)
    return min(values) > 0 and max(values) / min(values) > LOG_AXIS_RATIO


def _values(lines: Sequence[PlotLine]) -> list[float]:
    return [point.value for line in lines for point in line.points if isfinite(point.value)]


def _scaled(points: Sequence[PlotPoint], factor: float) -> tuple[list[float], list[float], list[float]]:
    """Return low limits, values and high limits."""
    return (
        [point.low / factor for point in points],
        [point.value / factor for point in points],
        [point.high / factor for point in points],
    )


def _printable(text: str, longest: int = 120) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:longest]


def alternative(plot: Plot) -> str:
    """Return the sentence that replaces the picture for readers who do not see it."""
    shown = plot.lines[:MAX_SAID]
    values = "; ".join(f"{visible(line.label)} {_figure(line.points[-1], plot.unit)}" for line in shown)
    left = len(plot.lines) - len(shown)
    changes = f"; {count(len(plot.changes), 'change')} of level" if plot.changes else ""
    return f"{visible(plot.title)}, newest values: {values}{f'; and {left} more' if left else ''}{changes}"


def _figure(point: PlotPoint, unit: str) -> str:
    """Return the value with its interval."""
    if not isfinite(point.value):
        return "failed"
    has_interval = isfinite(point.low) and isfinite(point.high) and point.low < point.high
    found = quantity(point.value, (point.low, point.high) if has_interval else None, unit)
    return f"{found.value} ({found.interval})" if found.interval else found.value
