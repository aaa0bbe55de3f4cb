"""Tests for windtunnel.compare.flame_graph."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from tests.builders.profiles import profile
from windtunnel.compare.flame_graph import draw, placed, render_svg, render_text
from windtunnel.compare.flame_graph_format import MAX_FRAMES
from windtunnel.compare.touched_functions import TouchedFile
from windtunnel.model.witness import CaseProfile

BASE = profile(("run", 1, 100), ("run > load", 10, 500), ("run > old", 1, 100))
HEAD = profile(("run", 1, 100), ("run > load", 10, 900), ("run > new", 1, 300))


def graph(base=BASE, head=HEAD, case="bench.time_load", touched=None):
    return draw(base, head, touched, case)


def places():
    """The frames by name, each with where it begins and its width."""
    return {frame.name: (frame, left, width) for frame, left, width in placed(graph())}


def test_a_frame_is_as_wide_as_its_cost_on_both_commits():
    """Frames of one commit are seen, too."""
    found = places()
    assert found["benchmark"][1:] == (0, 1)
    assert found["load"][2] == pytest.approx(1400 / 2000)
    old, new = found["old"][0], found["new"][0]
    assert (old.base, old.head) == (100, 0)
    assert (new.base, new.head) == (0, 300)


def test_frames_lie_within_the_frame_around_them_and_do_not_overlap():
    """The widest comes first."""
    inner = [each for each in placed(graph()) if each[0].depth == 2]
    assert [frame.name for frame, _, _ in inner] == ["load", "new", "old"]
    for (_, left, width), (_, after, _) in pairwise(inner):
        assert after == pytest.approx(left + width)


def test_the_picture_is_xml_without_a_script_or_a_link():
    """It opens in a browser from an artifact."""
    text = render_svg(graph())
    tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(text).iter()}
    assert tags == {"svg", "title", "rect", "text", "g"}
    assert "href" not in text


def test_names_are_escaped():
    """They come from a pull request."""
    hostile = "</title><script>alert(1)</script>\x1b[31m\x00"
    one = profile((hostile, 1, 100))
    found = graph(one, one, case=hostile)
    assert ET.fromstring(render_svg(found)) is not None
    assert "<script" not in render_svg(found)
    assert "\x1b" not in render_text(found)
    assert "\x00" not in render_svg(found)


def test_a_label_that_does_not_fit_is_the_last_part_of_the_name():
    """The title of the frame and the text have the whole name."""
    name = f"{'Outer' * 16}.inner"
    found = graph(*[profile((name, 1, 100), ("other", 1, 150))] * 2)
    assert f">{name}\n" in render_svg(found)
    assert ">inner</text>" in render_svg(found)
    assert name in render_text(found)


def test_the_text_has_a_line_for_each_frame():
    """Costs of both commits, the change, and the place."""
    lines = render_text(graph()).splitlines()
    assert lines[0] == "bench.time_load"
    assert lines[4].split() == ["700", "1,300", "+86", "%", "benchmark"]
    assert [line.split() for line in lines if "load" in line][1:] == [
        ["500", "900", "+80", "%", "load", "(pkg/mod.py:1)"]
    ]
    assert any(line.split()[:3] == ["0", "300", "new"] for line in lines)


def test_more_on_head_is_red_and_less_is_blue():
    """Equal costs are grey."""
    groups = ET.fromstring(render_svg(graph())).iter("{http://www.w3.org/2000/svg}g")
    colours = {group[0].text.partition("\n")[0]: group[1].get("fill") for group in groups}
    assert colours["load"].startswith("#ff")
    assert colours["old"].endswith("ff")
    assert {frame.name for frame in graph(BASE, BASE).frames} >= {"load"}
    assert "#ff" not in render_svg(graph(BASE, BASE)).replace("#ffffff", "")


def test_a_function_that_the_diff_changes_has_a_line_around_it():
    """And says so in its title."""
    name, load = "pkg/mod.py", frozenset({"load"})
    touched = {name: TouchedFile(base_file=name, head_file=name, base_functions=load, head_functions=load)}
    found = graph(touched=touched)
    assert [frame.name for frame in found.frames if frame.touched] == ["load"]
    assert render_svg(found).count("stroke=") == render_svg(found).count("changed by the diff</title>") == 1


def test_a_large_profile_is_cut():
    """A picture of a million frames opens nowhere."""
    many = profile(*((f"f{number}", 1, 1) for number in range(450)))
    assert len(graph(many, many).frames) <= MAX_FRAMES


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (CaseProfile(reason="it failed"), HEAD),
        (BASE, profile(("run", 1, 1), seconds=True)),
        (profile(("run", 1, 0)), profile(("run", 1, 0))),
    ],
)
def test_profiles_that_cannot_be_compared_have_no_graph(base, head):
    """The report then says why."""
    assert graph(base, head) is None
