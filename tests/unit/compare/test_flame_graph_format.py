"""flame-graphs.json: what is kept of a graph, what a reader refuses, and how large the file becomes."""

import pytest
from builders.flame_graphs import a_bisected_graph, a_flame_graph, a_frame
from msgspec.structs import replace

from windtunnel.compare.flame_graph_format import (
    FLAME_GRAPHS_FORMAT,
    MAX_DEPTH,
    MAX_KEPT_FRAMES,
    MAX_KEPT_GRAPHS,
    FlameGraphs,
    graph_problems,
)
from windtunnel.errors import DataError


def read_again(*graphs):
    return FLAME_GRAPHS_FORMAT.decode(FLAME_GRAPHS_FORMAT.encode(FlameGraphs(graphs=graphs)), "it")


def test_graphs_are_read_as_they_were_written():
    """With all that a page draws."""
    assert read_again(a_bisected_graph()).graphs == (a_bisected_graph(),)


def test_the_widest_frames_are_kept_with_those_around_them():
    """In their order, so that each still lies in the frame before it."""
    callers = [
        (
            a_frame(1, f"caller {number}", 10.0, 1000.0 - number),
            a_frame(2, f"wide {number}", 1.0, 900.0 - number),
            a_frame(2, f"narrow {number}", 0.123456789, 1.0),
        )
        for number in range(200)
    ]
    whole = a_frame(0, "benchmark", 1e4, 1e6)
    kept = a_flame_graph(whole, *(frame for each in callers for frame in each)).shortened()
    names = [frame.name for frame in kept.frames]
    assert len(names) == MAX_KEPT_FRAMES
    assert names[:5] == ["benchmark", "caller 0", "wide 0", "caller 1", "wide 1"]
    assert not any(name.startswith("narrow") for name in names)
    assert list(graph_problems(kept)) == []


def test_kept_costs_have_the_digits_that_pages_show():
    """Fewer bytes."""
    (frame,) = a_flame_graph(a_frame(0, "benchmark", 1234567.89, 1.23456789e-5)).shortened().frames
    assert (frame.base, frame.head) == (1234600, 1.2346e-5)


@pytest.mark.parametrize(
    "frames",
    [
        (),
        (a_frame(1),),
        (a_frame(0), a_frame(2)),
        (a_frame(0), a_frame(1), a_frame(0)),
        (a_frame(0), a_frame(-1)),
        (a_frame(0, base=0.0, head=0.0),),
        (a_frame(0, base=-1.0),),
        (a_frame(0, base=1e300),),
        (a_frame(0, name="x" * 301),),
        (a_frame(0, name="\x1b[31m"),),
        (a_frame(0, name="\N{RIGHT-TO-LEFT OVERRIDE}gnp"),),
        (a_frame(0, place="a\nb"),),
        tuple(a_frame(depth) for depth in range(MAX_DEPTH + 1)),
        (a_frame(0), *[a_frame(1)] * 3000),
    ],
)
def test_a_graph_that_cannot_be_drawn_is_refused(frames):
    """It comes from a job that ran the project's code."""
    graph = replace(a_flame_graph(), frames=frames)
    with pytest.raises(DataError, match="it is not a valid"):
        read_again(a_bisected_graph(graph=graph))


@pytest.mark.parametrize(
    "what", [{"alert": "../../x"}, {"alert": "5d0c6f1f3a9e\n"}, {"before": "HEAD"}, {"after": "-x"}]
)
def test_a_graph_of_no_alert_or_commit_is_refused(what):
    """The id becomes a path of the site."""
    with pytest.raises(DataError, match="it is not a valid"):
        read_again(a_bisected_graph(**what))


def test_a_new_search_of_an_alert_replaces_its_graph():
    """And is the newest one."""
    first, other = a_bisected_graph(), a_bisected_graph("b" * 12)
    again = replace(first, after="c" * 40)
    assert FlameGraphs(graphs=(first, other)).with_graph(again).graphs == (other, again)


def test_the_file_has_about_a_megabyte():
    """The oldest graphs leave, and each has a few hundred frames."""
    names = [a_frame(1, f"package.module.Class.method_{number}", 1e9 / (number + 1), 3.3333e9) for number in range(999)]
    graph = a_flame_graph(a_frame(0, "benchmark", 1e12, 1e13), *names).shortened()
    kept = FlameGraphs()
    for number in range(MAX_KEPT_GRAPHS + 2):
        kept = kept.with_graph(a_bisected_graph(f"{number:012x}", graph=graph))
    assert [int(one.alert, 16) for one in kept.graphs] == list(range(2, MAX_KEPT_GRAPHS + 2))
    assert len(FLAME_GRAPHS_FORMAT.encode(kept)) < 1.2 * 2**20
