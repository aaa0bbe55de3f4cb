"""The table behind docs/adopted.md states what the records state."""

import tomllib
from pathlib import Path

from studies.adopting.table import render

PROJECTS = Path(__file__).parents[2] / "studies" / "adopting" / "projects.toml"


def a_record(output="", code=0, **more):
    return {"code": code, "seconds": 2.0, "output": output, **more}


def a_clone():
    return {"snapshot": "a" * 40, "own": "asv.conf.json", "environment": "conda", "seconds": 1.0}


PROJECT = {"name": "spam/eggs", "kind": "C extension", "set": "a variable", "instead": "use another"}


def test_a_project_goes_the_whole_way_when_every_step_succeeded():
    """The summary counts it, and the row shows cases, builds and the largest change."""
    result = {"verdicts": {"regressed": 1}, "largest": ["m.C.time_it", 0.9]}
    steps = {
        "clone": a_clone(),
        "plan": a_record("windtunnel: 20 cases to measure: 1 commits"),
        "run": a_record(),
        "compare": a_record("base: built and installed in 10 s\nhead: built and installed in 12 s", result=result),
        "publish": a_record(),
    }
    text = render([(PROJECT, steps)])
    assert "1 of 1 repositories go the whole way" in text
    assert "1 of these have a C extension" in text
    assert "finds the known change in 1 of the 1" in text
    for cell in ("spam/eggs) aaaaaaaa, C extension", "20 cases, 2 s", "10 s + 12 s", "`time_it` 1.90×", "a variable"):
        assert cell in text


def test_a_step_that_failed_is_listed_with_its_message_and_what_to_do_instead():
    """Of the doctor, the message is what it marks as fatal."""
    steps = {"clone": a_clone(), "doctor": a_record("ok  this\nFATAL    no suite in /srv/eggs\n", code=3)}
    text = render([(PROJECT, steps)])
    assert "0 of 1 repositories go the whole way" in text
    assert "| eggs | doctor | no suite in …/eggs | use another |" in text


def test_each_listed_project_has_what_its_row_needs():
    """A name and a kind; a project with two commits also has quick cases."""
    projects = tomllib.loads(PROJECTS.read_text(encoding="utf-8"))["project"]
    for project in projects:
        assert project["name"].count("/") == 1
        assert project["kind"] in {"pure Python", "C extension"}
        assert "bench" in project or not {"slower", "head"} & set(project), project["name"]
