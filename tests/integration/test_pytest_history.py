"""A history of pytest benchmarks, in real environments: measured, detected, bisected, and published by asv."""

import json
import subprocess
import sys

import pytest
from asv.results import iter_results
from builders.commands import windtunnel
from builders.examples import EXPLORE
from builders.repositories import git
from builders.suites import BACKEND, PYPROJECT, change

from windtunnel import formats
from windtunnel.detect.format import DetectedChanges
from windtunnel.results.tree import read_tree

TESTS = """
import pytest
import spam
from spam import stamp

@pytest.mark.parametrize("size", [1, 3])
def test_work(benchmark, size):
    assert stamp.BUILT == spam.TURNS
    benchmark(spam.work, size)
"""

CODE = """
TURNS = {turns}

def work(size):
    total = 0
    for number in range(size * TURNS):
        total += number & 7
    return total
"""

SETTINGS = """
[dependency-groups]
bench = ["pytest"]
[tool.windtunnel]
suite = "pytest"
suite-build = ["python make_stamp.py"]
"""

STAMP = """
from pathlib import Path
import re
turns = re.search(r"TURNS = (\\d+)", Path("spam/__init__.py").read_text())[1]
Path("spam/stamp.py").write_text(f"BUILT = {turns}")
"""

COMMITS, STEP = 10, 5


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A repository whose sixth commit makes the package take twenty times as long; all its commits are measured."""
    folder = tmp_path_factory.mktemp("history") / "spam"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    files = {
        ".gitignore": "__pycache__/\n",
        "pyproject.toml": PYPROJECT + SETTINGS,
        "build_spam.py": BACKEND,
        "make_stamp.py": STAMP,
        "tests/test_speed.py": TESTS,
    }
    for number in range(COMMITS):
        code = CODE.format(turns=1000 if number < STEP else 20_000) + f"# {number}\n"
        change(folder, {**files, "spam/__init__.py": code}, f"commit {number}")
    windtunnel(folder, "bench", "--no-site", "--commits", COMMITS, "--rounds", "1", code=0)
    return folder


def results(history):
    return history / ".windtunnel" / "results"


def test_each_commit_is_measured_with_its_own_build_and_the_tests_of_the_work_tree(history):
    """A command of the project runs before the wheel is built."""
    tree = read_tree(results(history))
    assert tree.problems == ()
    assert len(tree.runs) == COMMITS
    ((benchmark,),) = {tuple(row.name for row in run.rows) for run in tree.runs}
    assert benchmark == "tests.test_speed.test_work"
    order = git(history, "rev-list", "--reverse", "HEAD").split()
    values = {run.commit: [one.value for one in run.rows[0].results] for run in tree.runs}
    for before, after in zip(values[order[STEP - 1]], values[order[STEP]], strict=True):
        assert after > 4 * before


def test_detect_finds_the_commit(history, tmp_path):
    """Both cases are slower from there on."""
    windtunnel(history, "detect", results(history), "--out", tmp_path / "changes.json", code=0)
    found = formats.decode((tmp_path / "changes.json").read_bytes(), DetectedChanges, "changes.json")
    culprit = git(history, "rev-parse", f"HEAD~{COMMITS - 1 - STEP}")
    slower = [change.params for change in found.changes if change.commit == culprit]
    assert sorted(slower) == [("1",), ("3",)]


@pytest.mark.skipif(not EXPLORE, reason="takes twenty seconds; WINDTUNNEL_EXPLORE=1 runs it")
def test_bisect_finds_the_commit(history, tmp_path):
    """It builds and measures further pairs."""
    out = tmp_path / "bisect.json"
    ends = git(history, "rev-parse", "HEAD~6", "HEAD~4").split()
    command = ("bisect", "tests.test_speed.test_work(1)", *ends, "--no-instructions", "--out", out)
    windtunnel(history, *command, code=0)
    found = json.loads(out.read_text())
    assert (found["answer"], found["after"]) == ("commit", git(history, "rev-parse", f"HEAD~{COMMITS - 1 - STEP}"))


def test_asv_and_the_site_publish_the_history(history, tmp_path):
    """The results are asv's, and so is the configuration."""
    configuration = history / ".windtunnel" / "pytest" / "asv.conf.json"
    assert len(list(iter_results(str(results(history))))) == COMMITS
    command = [sys.executable, "-m", "asv", "publish", "--no-pull", "--config", str(configuration)]
    done = subprocess.run(command, cwd=configuration.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    index = json.loads((history / ".windtunnel" / "html" / "index.json").read_text(encoding="utf-8"))
    assert "tests.test_speed.test_work" in index["benchmarks"]
    done = windtunnel(history, "publish", results(history), "--out", tmp_path / "site", code=0)
    assert (tmp_path / "site" / "index.html").is_file()
