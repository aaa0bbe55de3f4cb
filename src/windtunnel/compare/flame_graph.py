"""Draw a differential flame graph of two profiles: SVG without a script, and the same as text.

A frame's width is its cost on base and head together, so that frames of either commit are seen and the frames in a
frame always fit. Its colour shows the difference: red costs more on head, blue less. Brendan Gregg (2014),
"Differential Flame Graphs", colours the same way.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from windtunnel.compare.cause import Node, build_tree, unit_of
from windtunnel.compare.cause_format import CostUnit
from windtunnel.compare.function_matching import MatchedFunction, match_functions
from windtunnel.compare.touched_functions import TouchedFile
from windtunnel.model.witness import CaseProfile
from windtunnel.text import numbers
from windtunnel.text.escaping import visible

WIDTH, ROW, MARGIN, HEADER = 1200, 18, 10, 64
"""Sizes in pixels."""

CHARACTER = 6.6
"""Width of a character of the labels, in pixels."""

MIN_WIDTH = 0.002
"""Narrower frames are left out: share of the whole width."""

MAX_FRAMES = 3000
MAX_DEPTH = 120
MAX_NAME = 120
"""Characters of a name."""

ROOT = "benchmark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A stack of both commits."""

    depth: int
    left: float
    """Where it begins, as a share of the whole width."""
    width: float
    """Share of the whole width."""
    name: str
    place: str
    """File and line; empty for compiled code."""
    base: float
    """Cost on base, with what it calls."""
    head: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FlameGraph:
    """A differential flame graph."""

    title: str
    unit: CostUnit
    frames: tuple[Frame, ...]
    """Each before those in it."""

    def svg(self) -> str:
        """Return the graph as SVG."""
        rows = 1 + max((frame.depth for frame in self.frames), default=0)
        height = HEADER + rows * ROW + MARGIN
        title = escape(self.title)
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
            f'height="{height}" font-family="monospace" font-size="11" role="img">'
        )
        lines = (
            opening,
            f"<title>{title}</title>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            f'<text x="{MARGIN}" y="20" font-size="14" fill="#1f2328">{title}</text>',
            f'<text x="{MARGIN}" y="38" fill="#59636e">{escape(self._legend())}</text>',
            *map(self._drawn, self.frames),
            "</svg>\n",
        )
        return "\n".join(lines)

    def text(self) -> str:
        """Return the graph as text: a line for each frame, indented by its depth."""
        lines = [self.title, self._legend(), "", f"{'base':>14} {'head':>14} {'change':>9}"]
        for frame in self.frames:
            columns = f"{self._cost(frame.base):>14} {self._cost(frame.head):>14} {_change(frame):>9}"
            place = f"  ({frame.place})" if frame.place else ""
            lines.append(f"{columns}  {'  ' * frame.depth}{frame.name}{place}")
        return "\n".join(lines) + "\n"

    def _legend(self) -> str:
        cost = "instructions" if self.unit is CostUnit.INSTRUCTIONS else "time, without the profiler's own"
        return f"Per call of the benchmark: {cost}. Width: base and head together. Red: head has more; blue: less."

    def _drawn(self, frame: Frame) -> str:
        space = WIDTH - 2 * MARGIN
        x, y, width = MARGIN + frame.left * space, HEADER + frame.depth * ROW, frame.width * space
        hint = f"{frame.name}\n{frame.place}\n" if frame.place else f"{frame.name}\n"
        hint += f"base {self._cost(frame.base)}, head {self._cost(frame.head)}: {_change(frame)}"
        label = _fitting(frame.name, int((width - 6) / CHARACTER))
        shown = f'<text x="{x + 3:.1f}" y="{y + 13}" fill="#1f2328">{escape(label)}</text>' if label else ""
        return (
            f'<g><title>{escape(hint)}</title><rect x="{x:.2f}" y="{y}" width="{max(0.0, width - 0.5):.2f}" '
            f'height="{ROW - 1}" fill="{_colour(frame)}"/>'
            f"{shown}</g>"
        )

    def _cost(self, cost: float) -> str:
        return numbers.quantity(cost, None, "seconds").value if self.unit is CostUnit.SECONDS else f"{cost:,.0f}"


def draw(
    base: CaseProfile, head: CaseProfile, touched: Mapping[str, TouchedFile] | None, title: str
) -> FlameGraph | None:
    """Return the flame graph of two profiles; None if one of them is missing or they have different units."""
    if base.reason or head.reason or unit_of(base) is not unit_of(head):
        return None
    matched = match_functions(base, head, touched)
    timed = unit_of(base) is CostUnit.SECONDS  # instructions of compiled functions are not known by stack
    trees = (
        build_tree(base, matched.numbers[0], with_compiled=timed),
        build_tree(head, matched.numbers[1], with_compiled=timed),
    )
    totals: dict[int, float] = {}
    for tree in trees:
        for node in reversed(list(tree.walk())):
            totals[id(node)] = max(0.0, node.cost) + sum(totals[id(child)] for child in node.children.values())
    whole = sum(totals[id(tree)] for tree in trees)
    if whole <= 0:
        return None
    frames = []
    for frame in _frames(trees, totals, whole, matched.functions):
        frames.append(frame)
        if len(frames) == MAX_FRAMES:
            break
    return FlameGraph(title=visible(title, 2 * MAX_NAME), unit=unit_of(base), frames=tuple(frames))


def _frames(
    trees: tuple[Node, Node], totals: Mapping[int, float], whole: float, functions: tuple[MatchedFunction, ...]
) -> Iterator[Frame]:
    """Yield the frames from the outermost one on, the widest of each stack first."""
    waiting: list[tuple[Node | None, Node | None, int, float]] = [(*trees, 0, 0.0)]
    while waiting:
        before, after, depth, left = waiting.pop()
        base, head = (totals[id(node)] if node else 0.0 for node in (before, after))
        some = after or before
        assert some
        name, place = (ROOT, "") if some.function < 0 else _label(functions[some.function])
        yield Frame(depth=depth, left=left, width=(base + head) / whole, name=name, place=place, base=base, head=head)
        children = []
        for number in dict.fromkeys(key for node in (before, after) if node for key in node.children):
            sides = [node.children.get(number) if node else None for node in (before, after)]
            children.append((sum(totals[id(node)] for node in sides if node), sides))
        children.sort(key=lambda each: -each[0])
        inside = []
        for cost, (one, other) in children:
            if depth + 1 < MAX_DEPTH and cost / whole >= MIN_WIDTH:
                inside.append((one, other, depth + 1, left))
            left += cost / whole
        waiting += reversed(inside)


def _label(function: MatchedFunction) -> tuple[str, str]:
    """Return the name and the place of a function, on one line and cut."""
    one = function.main
    file = (function.head_file if function.head else function.base_file) or ""
    place = f"{file}:{one.line}" if file and one.line else file
    return visible(one.name, MAX_NAME), visible(place, MAX_NAME)


def _fitting(name: str, letters: int) -> str:
    """Return *name*, or its last part, in as many *letters*; the title of a frame has all of it."""
    last = name.rpartition(".")[2]
    if len(name) <= letters or len(last) <= letters:
        return name if len(name) <= letters else last
    return f"{last[: letters - 1]}…" if letters > 2 else ""


def _change(frame: Frame) -> str:
    if not frame.base:
        return "new" if frame.head else "0 %"
    return numbers.relative_change(frame.head / frame.base - 1, None).value


def _colour(frame: Frame) -> str:
    """Return red if head costs more, blue if less, the stronger the larger the difference; grey if they are equal."""
    largest = max(frame.base, frame.head)
    difference = (frame.head - frame.base) / largest if largest else 0.0
    strength = min(1.0, abs(difference) * 2)
    faded = round(238 - 140 * strength)
    if abs(difference) < 0.005:
        return "#e6e8eb"
    return f"#ff{faded:02x}{faded:02x}" if difference > 0 else f"#{faded:02x}{faded:02x}ff"
