"""action.yml under act."""

import os
import shutil

import pytest
from actions import acting
from actions.pushes import a_push
from builders.repositories import git
from builders.suites import change

pytestmark = pytest.mark.act
full = pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it")

USES = """\
on: push
permissions: {}
jobs:
  use:
    name: Use
    runs-on: ubuntu-24.04
    steps:
      - name: Windtunnel
        uses: org/windtunnel@dddddddddddddddddddddddddddddddddddddddd
      - name: Call
        run: windtunnel --version
"""
PIN = "org/windtunnel@" + "d" * 40


def on_push(clone, workflow, event="push", **what):
    """What becomes of *event* on *clone*'s main branch."""
    return acting.run(
        clone, clone.parent / "origin.git", event, a_push(clone), clone.parent / "act", workflow=workflow, **what
    )


def test_the_action_puts_windtunnel_on_the_path(adopted, tmp_path):
    """Later steps of the job call it by its name."""
    clone = adopted()
    action = tmp_path / "windtunnel"
    action.mkdir()
    shutil.copy(acting.ROOT / "action.yml", action)
    (action / "Makefile").write_text(f'tool:\n\t@echo "{acting.tool()}" >> "$$GITHUB_PATH"\n', encoding="utf-8")
    change(clone, {".github/workflows/use.yml": USES}, "an action")
    acted = on_push(clone, "use.yml", windtunnel=PIN, windtunnel_at=action)
    assert acted.code == 0, acted.output
    assert acted.result("Use", "Call") == "success"


@full
def test_the_action_as_it_is_installs_what_the_lock_file_names(adopted, tmp_path):
    """From the files of a commit, into a folder of its own; takes wheels from the machine's cache."""
    clone = adopted()
    git(acting.ROOT, "clone", "--quiet", str(acting.ROOT), str(tmp_path / "windtunnel"))
    change(clone, {".github/workflows/use.yml": USES.replace("--version", "doctor --help")}, "an action")
    acted = on_push(clone, "use.yml", windtunnel=PIN, windtunnel_at=tmp_path / "windtunnel")
    assert acted.code == 0, acted.output
    assert acted.result("Use", "Call") == "success"
