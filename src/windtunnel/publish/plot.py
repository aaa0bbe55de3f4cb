"""Plots one benchmark as SVG or PNG, for issues and READMEs: its history, or its newest values side by side.

An image has a sentence with its figures as its title. This is the only module that imports matplotlib, an extra.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
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


PlotPoints = Sequence[tuple[int, MeasuredResult | None]]
"""The results of a case at a target, each at its index among the measured commits; None where the case failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What to draw."""

    title: str
    unit: str
    lines: Mapping[str, PlotPoints]
    """The cases by a name that no other case of the benchmark has."""
    changes: tuple[tuple[int, str], ...] = ()
    """Commits that begin a new level, each with its index among the measured ones."""
    dots: bool = False
    """Whether to draw the newest values side by side instead of the history."""


def plot_lines(tree: ResultsTree, benchmark: Benchmark, history: CommitHistory) -> dict[str, PlotPoints]:
    """Return the lines of *benchmark*'s present version, in the order of Pythons and of the suite's parameters."""
    measured = {run.commit for run in tree.runs}
    order = [commit.hash for commit in history.commits if commit.hash in measured]
    positions = {commit: position for position, commit in enumerate(order)}
    names = {target.key: target.name for target in all_targets(tree.runs)}
    points: dict[str, list[tuple[int, MeasuredResult | None]]] = defaultdict(list)
    for run in tree.runs:
        row = run.row(benchmark.name)
        if run.commit not in positions or row is None or not benchmark.is_current(row.version):
            continue
        for params, result in row.cases():
            shown = shown_result(result)
            if isinstance(shown, MeasuredResult) or shown == "failed":
                label = ", ".join((*map(readable, params), names[run.machine, run.environment.name]))
                points[label].append((positions[run.commit], None if isinstance(shown, str) else shown))
    lines = {label: sorted(found, key=lambda point: point[0]) for label, found in points.items()}
    return {label: found for label, found in lines.items() if any(result for _, result in found)}


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
    lines = dict(islice(plot.lines.items(), MAX_LINES))
    values = _values(lines)
    factor, unit = scale(max(map(abs, values)), plot.unit)
    few = max(map(len, lines.values())) <= MAX_MARKERS
    for (label, points), colour, mark in zip(lines.items(), COLOURS, MARKS, strict=False):
        positions = [position for position, _ in points]
        low, value, high = _scaled([result for _, result in points], factor)
        axes.fill_between(positions, low, high, color=colour, alpha=0.2, linewidth=0)
        shown = mark if few else ","
        axes.plot(positions, value, color=colour, marker=shown, markersize=3, linewidth=1, label=_printable(label))
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
    if min(values) > 0 and max(values) / min(values) > LOG_AXIS_RATIO:  # smaller lines would be flat
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("measured commits, oldest first")
    axes.locator_params(axis="x", integer=True)
    axes.set_ylabel(_printable(unit))
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _dots(axes: "Axes", plot: Plot) -> None:
    factor, unit = scale(max(map(abs, _values(plot.lines))), plot.unit)
    newest = [points[-1][1] for points in plot.lines.values()]
    low, value, high = _scaled(newest, factor)
    rows = range(len(newest))
    below = [each - limit for each, limit in zip(value, low, strict=True)]
    above = [limit - each for each, limit in zip(value, high, strict=True)]
    axes.errorbar(value, rows, xerr=(below, above), fmt="o", markersize=4, color=COLOURS[0], capsize=4, elinewidth=1.2)
    labels = [
        f"{_printable(label)}{'' if result else ' (failed)'}" for label, result in zip(plot.lines, newest, strict=True)
    ]
    axes.set_yticks(list(rows), labels)
    axes.set_ylim(len(newest) - 0.5, -0.5)
    axes.set_xlim(left=min([0.0, *filter(isfinite, low)]))
    axes.set_xlabel(_printable(unit))
    axes.grid(visible=True, axis="x", alpha=0.3)


def _values(lines: Mapping[str, PlotPoints]) -> list[float]:
    return [result.value for points in lines.values() for _, result in points if result]


def _scaled(results: Sequence[MeasuredResult | None], factor: float) -> list[list[float]]:
    """Return low limits, values and high limits, divided by *factor*; NaN is a gap."""
    limits = [(each.interval or (each.value, each.value)) if each else (nan, nan) for each in results]
    values = [each.value if each else nan for each in results]
    columns = ([low for low, _ in limits], values, [high for _, high in limits])
    return [[each / factor for each in column] for column in columns]


def _printable(text: str, longest: int = 120) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:longest]


def alternative(plot: Plot) -> str:
    """Return the sentence that replaces the picture for readers who do not see it."""
    shown = islice(plot.lines.items(), MAX_SAID)
    values = "; ".join(f"{visible(label)} {_figure(points[-1][1], plot.unit)}" for label, points in shown)
    left = len(plot.lines) - MAX_SAID
    changes = f"; {count(len(plot.changes), 'change')} of level" if plot.changes else ""
    return f"{visible(plot.title)}, newest values: {values}{f'; and {left} more' if left > 0 else ''}{changes}"


def _figure(result: MeasuredResult | None, unit: str) -> str:
    """Return the value with its interval."""
    if result is None:
        return "failed"
    low, high = result.interval or (0.0, 0.0)
    found = quantity(result.value, (low, high) if low < high else None, unit)
    return f"{found.value} ({found.interval})" if found.interval else found.value
