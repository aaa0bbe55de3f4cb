"""Reports on changes, for a terminal and for GitHub."""

import numpy as np
import pytest
from builders.histories import a_history_tree, detect, histories
from msgspec.structs import replace

from windtunnel.detect.report import render_markdown, render_terminal
from windtunnel.model.run import history_by_date
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, size


@pytest.fixture(scope="module")
def found():
    """A step up by 40 % in one of three series, at the 31st of 60 commits."""
    names = ("m.time_`it`", "m.time_other", "m.time_third")
    series = {name: 0.1 * np.exp(row) for name, row in zip(names, histories(3, count=3, points=60), strict=True)}
    series[names[0]][30:] *= 1.4
    tree = a_history_tree(series)
    return detect(tree, history_by_date(tree.runs))


def test_the_terminal_report_names_commit_case_factor_and_levels(found):
    """The headline comes first."""
    lines = render_terminal(found).splitlines()
    assert lines[0] == "1 regressed and 0 improved, in one event, of 3 series over 60 commits"
    commit = found.events[0].commit[:10]
    assert lines[2].startswith(f"{commit}, ")
    assert lines[2].endswith(": 1 regressed")
    assert lines[3].startswith("  regressed  m.time_`it` in ")
    assert "→" in lines[3]


def test_the_markdown_report_has_a_section_for_each_event(found):
    """Names of benchmarks are escaped."""
    text = render_markdown(found)
    assert text.startswith("## 1 regressed and 0 improved")
    assert "### " + found.events[0].commit[:10] in text
    assert "<code>m&#46;time&#95;&#96;it&#96;</code>" in text


def test_a_report_without_changes_states_this(found):
    """It is not empty."""
    nothing = replace(found, changes=(), events=(), series=0)
    assert render_terminal(nothing).startswith("No change of level in 0 series")
    assert render_markdown(nothing).startswith("## No change of level")


def test_the_markdown_report_fits_a_comment(found):
    """Events that do not fit are counted."""
    many = replace(found, events=found.events * 2000)
    text = render_markdown(many)
    assert size(text) <= MAX_COMMENT_LENGTH
    assert "more: see changes.json" in text
    assert "older events" in render_terminal(many)
