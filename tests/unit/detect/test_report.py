"""Changes in words, for a terminal and for GitHub."""

from dataclasses import replace

import numpy as np
import pytest
from builders.histories import a_history_tree, detect, histories

from windtunnel import formats
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.detect.report_markdown import markdown
from windtunnel.detect.report_terminal import terminal
from windtunnel.errors import DataError
from windtunnel.model.commit_history import history_by_date
from windtunnel.text.markdown import LONGEST, size


@pytest.fixture(scope="module")
def found():
    """A step up by 40 % in one of three series, at the 31st of 60 commits."""
    names = ("m.time_`it`", "m.time_other", "m.time_third")
    series = {name: 0.1 * np.exp(row) for name, row in zip(names, histories(3, count=3, points=60), strict=True)}
    series[names[0]][30:] *= 1.4
    tree = a_history_tree(series)
    return detect(tree, history_by_date(tree.runs))


def test_the_terminal_names_commit_case_factor_and_levels(found):
    """The headline first."""
    lines = terminal(found).splitlines()
    assert lines[0] == "1 regressed and 0 improved, in one event, of 3 series over 60 commits"
    commit = found.events[0].commit[:10]
    assert lines[2].startswith(f"{commit}, ")
    assert lines[2].endswith(": 1 regressed")
    assert lines[3].startswith("  regressed  m.time_`it` in ")
    assert "→" in lines[3]


def test_markdown_has_a_section_an_event(found):
    """Foreign names are code, whatever is in them."""
    text = markdown(found)
    assert text.startswith("## 1 regressed and 0 improved")
    assert "### " + found.events[0].commit[:10] in text
    assert "<code>m&#46;time&#95;&#96;it&#96;</code>" in text


def test_no_change_is_said(found):
    """Rather than nothing."""
    nothing = replace(found, changes=(), events=(), series=0)
    assert terminal(nothing).startswith("No change of level in 0 series")
    assert markdown(nothing).startswith("## No change of level")


def test_markdown_always_fits_a_comment(found):
    """However many events; the rest is counted."""
    many = replace(found, events=found.events * 2000)
    text = markdown(many)
    assert size(text) <= LONGEST
    assert "more: see changes.json" in text
    assert "older events" in terminal(many)


@pytest.mark.parametrize("content", [b"", b"null", b'{"schema": "windtunnel.changes/1"}'])
def test_what_is_no_changes_file_is_refused(content):
    """DataError with the file's name."""
    with pytest.raises(DataError, match=r"changes\.json"):
        CHANGES_FORMAT.decode(content, "changes.json")


def test_a_newer_schema_is_refused(found):
    """With both names."""
    content = formats.encode(found).replace(b"changes/1", b"changes/2")
    with pytest.raises(DataError, match="this version reads"):
        CHANGES_FORMAT.decode(content, "changes.json")
