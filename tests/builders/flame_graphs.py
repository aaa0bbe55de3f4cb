"""Flame graphs of commits that bisections found."""

from windtunnel.compare.cause_format import CostUnit
from windtunnel.compare.flame_graph_format import BisectedGraph, FlameGraph, Frame

ALERT = "5d0c6f1f3a9e"


def a_frame(depth, name="parse", base=100.0, head=200.0, place="pkg/parser.py:12", touched=False):
    """A call of *name*."""
    return Frame(depth=depth, name=name, place=place, base=base, head=head, touched=touched)


def a_flame_graph(*frames, case="suite.time_it", unit=CostUnit.INSTRUCTIONS):
    """A graph of *frames*; by default a call that does more work within one that does not."""
    usual = (
        a_frame(0, "benchmark", 1_000_000, 1_420_000, ""),
        a_frame(1, "Parser.parse", 900_000, 1_400_000, "pkg/parser.py:12"),
        a_frame(2, "tokens.split_all", 500_000, 1_020_000, "pkg/tokens.py:40"),
        a_frame(3, "normalize", 200_000, 700_000, "pkg/tokens.py:88", touched=True),
        a_frame(2, "Tree.build", 300_000, 280_000, "pkg/tree.py:7"),
        a_frame(1, "old_check", 80_000, 0, "pkg/checks.py:3"),
        a_frame(1, "close", 20_000, 20_000, "pkg/files.py:90"),
    )
    return FlameGraph(case=case, unit=unit, frames=frames or usual)


def a_bisected_graph(alert=ALERT, *, before="a" * 40, after="b" * 40, graph=None):
    """The graph that the bisection of *alert* left."""
    return BisectedGraph(alert=alert, before=before, after=after, graph=graph or a_flame_graph())
