"""The badge counts benchmarks with a current regression."""

from xml.etree import ElementTree as ET

import msgspec
import pytest
from builders.histories import a_history, a_history_tree, detect

from windtunnel.publish.badges import build_badge, render_svg

LEVELS = {
    "steady": [1.0] * 40,
    "slower": [1.0] * 20 + [2.0] * 20,
    "faster": [2.0] * 20 + [1.0] * 20,
    "back": [1.0] * 15 + [2.0] * 15 + [1.0] * 15,
}


def found_in(*names):
    """The changes of benchmarks whose levels are called so; a trace of noise makes them real."""
    columns = {f"b.time_{name}": [v * (1 + 0.001 * (i % 3)) for i, v in enumerate(LEVELS[name])] for name in names}
    count = max(map(len, columns.values()))
    columns = {name: values + values[-1:] * (count - len(values)) for name, values in columns.items()}
    return detect(a_history_tree(columns), a_history(count))


@pytest.mark.parametrize(
    ("names", "message"),
    [(("steady",), "steady"), (("slower",), "1 slower"), (("faster",), "steady"), (("back",), "steady")],
)
def test_the_badge_counts_current_regressions(names, message):
    """Improvements and recovered regressions do not count."""
    assert build_badge(found_in(*names)).message == message


def test_the_endpoint_has_the_fields_of_shields():
    """It has no other fields."""
    told = msgspec.to_builtins(build_badge(found_in("slower")))
    assert told == {"schemaVersion": 1, "label": "benchmarks", "message": "1 slower", "color": "#a5321f"}


def test_the_image_is_text_with_a_label():
    """A README can embed it: it has no link, script or image."""
    root = ET.fromstring(render_svg(build_badge(found_in("slower"))))
    assert root.attrib["aria-label"] == "benchmarks: 1 slower"
    assert {each.tag.rpartition("}")[2] for each in root.iter()} == {"svg", "title", "rect", "g", "text"}
    assert not any("href" in name for each in root.iter() for name in each.attrib)
