"""Draw a differential flame graph of two profiles: as data, as SVG without a script, and as text.

A frame's width is its cost on base and head together, so that frames of either commit are seen and the frames in a
frame always fit. Its colour shows the difference: red costs more on head, blue less. Brendan Gregg (2014),
"Differential Flame Graphs", colours the same way. A black line is around functions that the diff changes.
"""

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from windtunnel.compare.cause import Node, build_tree, unit_of
from windtunnel.compare.cause_format import CostUnit
from windtunnel.compare.flame_graph_format import MAX_DEPTH, MAX_FRAMES, FlameGraph, Frame, widest
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

MAX_NAME = 120
"""Characters of a name."""

ROOT = "benchmark"


def draw(
    base: CaseProfile, head: CaseProfile, touched: Mapping[str, TouchedFile] | None, case: str
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
    if sum(totals[id(tree)] for tree in trees) <= 0:
        return None
    frames = widest(tuple(_frames(trees, totals, matched.functions)), MAX_FRAMES)
    return FlameGraph(case=visible(case, 2 * MAX_NAME), unit=unit_of(base), frames=frames)


def _frames(
    trees: tuple[Node, Node], totals: Mapping[int, float], functions: tuple[MatchedFunction, ...]
) -> Iterator[Frame]:
    """Yield the frames from the outermost one on, the widest of each stack first."""
    least = MIN_WIDTH * sum(totals[id(tree)] for tree in trees)
    waiting: list[tuple[Node | None, Node | None, int]] = [(*trees, 0)]
    while waiting:
        before, after, depth = waiting.pop()
        base, head = (totals[id(node)] if node else 0.0 for node in (before, after))
        some = after or before
        assert some
        name, place, touched = (ROOT, "", False) if some.function < 0 else _label(functions[some.function])
        yield Frame(depth=depth, name=name, place=place, base=base, head=head, touched=touched)
        children = []
        for number in dict.fromkeys(key for node in (before, after) if node for key in node.children):
            one, other = (node.children.get(number) if node else None for node in (before, after))
            children.append((sum(totals[id(node)] for node in (one, other) if node), one, other))
        children.sort(key=lambda each: -each[0])
        if depth + 1 < MAX_DEPTH:
            waiting += reversed([(one, other, depth + 1) for cost, one, other in children if cost >= least])


def _label(function: MatchedFunction) -> tuple[str, str, bool]:
    """Return the name and the place of a function, on one line and cut, and whether the diff changes it."""
    one = function.main
    file = (function.head_file if function.head else function.base_file) or ""
    place = f"{file}:{one.line}" if file and one.line else file
    return visible(one.name, MAX_NAME), visible(place, MAX_NAME), bool(function.touched)


def placed(graph: FlameGraph) -> Iterator[tuple[Frame, float, float]]:
    """Yield each frame with where it begins and how wide it is, as shares of the whole width."""
    whole = graph.frames[0].base + graph.frames[0].head
    free = [0.0]  # where the next frame of each depth begins
    for frame in graph.frames:
        del free[frame.depth + 1 :]
        left, width = free[frame.depth], (frame.base + frame.head) / whole
        yield frame, left, width
        free[frame.depth] = left + width
        free.append(left)


def render_svg(graph: FlameGraph) -> str:
    """Return the graph as SVG."""
    rows = 1 + max(frame.depth for frame in graph.frames)
    height = HEADER + rows * ROW + MARGIN
    title = escape(graph.case)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="monospace" font-size="11" role="img">'
    )
    lines = (
        opening,
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="20" font-size="14" fill="#1f2328">{title}</text>',
        f'<text x="{MARGIN}" y="38" fill="#59636e">{escape(_legend(graph.unit))}</text>',
        *(_drawn(frame, left, width, graph.unit) for frame, left, width in placed(graph)),
        "</svg>\n",
    )
    return "\n".join(lines)


def render_text(graph: FlameGraph) -> str:
    """Return the graph as text: a line for each frame, indented by its depth."""
    lines = [graph.case, _legend(graph.unit), "", f"{'base':>14} {'head':>14} {'change':>9}"]
    for frame in graph.frames:
        costs = (_cost(cost, graph.unit) for cost in (frame.base, frame.head))
        columns = " ".join([*(f"{cost:>14}" for cost in costs), f"{_change(frame):>9}"])
        place = f"  ({frame.place})" if frame.place else ""
        lines.append(f"{columns}  {'  ' * frame.depth}{frame.name}{place}")
    return "\n".join(lines) + "\n"


def _legend(unit: CostUnit) -> str:
    cost = "instructions" if unit is CostUnit.INSTRUCTIONS else "time, without the profiler's own"
    return (
        f"Per call of the benchmark: {cost}. Width: base and head together. Red: head has more; blue: less. "
        "Black line: changed by the diff."
    )


def _drawn(frame: Frame, left: float, width: float, unit: CostUnit) -> str:
    space = WIDTH - 2 * MARGIN
    x, y, width = MARGIN + left * space, HEADER + frame.depth * ROW, width * space
    change = f"base {_cost(frame.base, unit)}, head {_cost(frame.head, unit)}: {_change(frame)}"
    hint = "\n".join(filter(None, [frame.name, frame.place, change, "changed by the diff" if frame.touched else ""]))
    label = _fitting(frame.name, int((width - 6) / CHARACTER))
    shown = f'<text x="{x + 3:.1f}" y="{y + 13}" fill="#1f2328">{escape(label)}</text>' if label else ""
    line = ' stroke="#1f2328"' if frame.touched else ""
    return (
        f'<g><title>{escape(hint)}</title><rect x="{x:.2f}" y="{y}" width="{max(0.0, width - 0.5):.2f}" '
        f'height="{ROW - 1}" fill="{_colour(frame)}"{line}/>'
        f"{shown}</g>"
    )


def _cost(cost: float, unit: CostUnit) -> str:
    return numbers.quantity(cost, None, "seconds").value if unit is CostUnit.SECONDS else f"{cost:,.0f}"


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
