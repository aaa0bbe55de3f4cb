"""A differential flame graph as data; and flame-graphs.json, which keeps those that bisections of alerts found.

Names come from the measured code, and the file from a job that ran it: both are limited and checked.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from windtunnel.compare.cause_format import CostUnit, Text
from windtunnel.formats import Format

SCHEMA = "windtunnel.flame-graphs/1"
"""The version of the format; it changes when a reader of the old form would misread the new one."""

MAX_FRAMES = 3000
MAX_DEPTH = 120
MAX_KEPT_FRAMES = 300
"""Frames that are kept for the site: about 30 kB. A page of 1,200 pixels shows few more with a label."""
MAX_KEPT_GRAPHS = 30
"""Graphs that flame-graphs.json keeps, the newest ones. It then has about 1 MB."""
DIGITS = 5
"""Significant digits of kept costs; pages show three."""

ALERT, COMMIT = re.compile("[0-9a-f]{12}"), re.compile("[0-9a-f]{40}|[0-9a-f]{64}")

Cost = Annotated[float, Meta(ge=0, le=1e18)]


class Frame(Struct, frozen=True, kw_only=True):
    """A stack of functions on both commits, by its innermost function."""

    depth: Annotated[int, Meta(ge=0, lt=MAX_DEPTH)]
    """How many functions are around it."""
    name: Text
    """The qualified name of the function."""
    place: Text = ""
    """Its file and line; empty for compiled code."""
    base: Cost
    """The cost on base, with what it calls."""
    head: Cost
    """The cost on head, with what it calls."""
    touched: bool = False
    """Whether the diff changes the function."""


class FlameGraph(Struct, frozen=True, kw_only=True):
    """A differential flame graph. Costs are per call of the benchmark."""

    case: Text
    """The name of the case."""
    unit: CostUnit
    """What costs are."""
    frames: Annotated[tuple[Frame, ...], Meta(min_length=1, max_length=MAX_FRAMES)]
    """The frames, each before those in it, and of those in one frame the widest first. The first one is the whole."""

    def shortened(self) -> "FlameGraph":
        """Return the widest frames, with the digits that pages show."""
        kept = widest(self.frames, MAX_KEPT_FRAMES)
        return replace(self, frames=tuple(replace(one, base=_round(one.base), head=_round(one.head)) for one in kept))


def widest(frames: Sequence[Frame], limit: int) -> tuple[Frame, ...]:
    """Return the *limit* frames that cost most on both commits together, in their order; outer ones come with inner."""
    order = sorted(range(len(frames)), key=lambda index: -(frames[index].base + frames[index].head))
    return tuple(frames[index] for index in sorted(order[:limit]))


def graph_problems(graph: FlameGraph) -> Iterator[str]:
    """Yield what would make drawing *graph* fail, or its names deceive."""
    depths = [frame.depth for frame in graph.frames]
    if depths[0] or any(after > before + 1 or not after for before, after in pairwise(depths)):
        yield "a frame of the flame graph lies in no other one"
    if graph.frames[0].base + graph.frames[0].head <= 0:
        yield "the flame graph costs nothing"
    if not all(text.isprintable() for one in graph.frames for text in (one.name, one.place)):
        yield "a name in the flame graph has characters that cannot be printed"


class BisectedGraph(Struct, frozen=True, kw_only=True):
    """The flame graph of the commit that the bisection of an alert found."""

    alert: str
    """The id of the alert."""
    before: str
    """The hash of the commit before it, which is base."""
    after: str
    """The hash of the commit, which is head."""
    graph: FlameGraph
    """The flame graph of the measured case."""


class FlameGraphs(Struct, frozen=True, kw_only=True):
    """The content of flame-graphs.json."""

    schema: str = SCHEMA
    """The version of the format: windtunnel.flame-graphs/1."""
    graphs: tuple[BisectedGraph, ...] = ()
    """The newest graphs, the oldest first, at most one of an alert."""

    def with_graph(self, added: BisectedGraph) -> "FlameGraphs":
        """Return the graphs with *added*, which replaces an earlier one of its alert; the oldest may leave."""
        others = (one for one in self.graphs if one.alert != added.alert)
        return replace(self, graphs=(*others, added)[-MAX_KEPT_GRAPHS:])


def _problems(kept: FlameGraphs) -> Iterator[str]:
    for one in kept.graphs:
        if not ALERT.fullmatch(one.alert):
            yield f"{one.alert[:40]!r} is not the id of an alert"
        if not COMMIT.fullmatch(one.before) or not COMMIT.fullmatch(one.after):
            yield f"the graph of {one.alert[:40]!r} names no full hashes of commits"
        yield from graph_problems(one.graph)


def _round(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


FLAME_GRAPHS_FORMAT = Format(
    name="flame-graphs.json",
    type=FlameGraphs,
    schema=SCHEMA,
    remedy="remove the file from the results branch, and the next bisection writes it again",
    check=_problems,
    indented=False,
)
