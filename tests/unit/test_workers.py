"""Tests run in forks of the process that collected them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = """
import os
import pytest
from workers import pytest_addoption, pytest_runtestloop

@pytest.fixture(scope="session")
def process():
    yield os.getpid()
    print("torn down", file=open(f"{os.getpid()}.end", "w"))
"""
FILES = {
    "test_fine.py": "def test_one(process, tmp_path): print('unseen')\ndef test_two(process, capfd): assert process\n",
    "test_wrong.py": "def test_wrong(process):\n    print('it said')\n    assert [process] == [0]\n",
    "test_dies.py": "import os\n\ndef test_dies(): os._exit(0)\n\ndef test_after(): ...\n",
    "test_more.py": "def test_three(process): ...\n",
}


@pytest.fixture
def run(tmp_path):
    """A function that runs files of tests in two workers, and returns the exit code and what is printed."""

    def call(*names, options=()):
        for name in names:
            (tmp_path / name).write_text(FILES[name])
        (tmp_path / "conftest.py").write_text(CONFTEST)
        (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {Path(__file__).parents[1]}\n")
        command = [sys.executable, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", *options, *names]
        alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    return call


def test_results_of_all_workers_are_reported_once(run, tmp_path):
    """A failure has its output and the values that were compared; a worker's fixtures are torn down at its end."""
    code, printed = run("test_fine.py", "test_wrong.py", "test_more.py")
    assert code == 1
    assert re.search("^=+ 1 failed, 3 passed", printed, re.MULTILINE), printed
    assert "it said" in printed
    assert "unseen" not in printed
    assert re.search(r"At index 0 diff: \d+ != 0", printed)
    assert list(tmp_path.glob("*.end"))


def test_a_worker_that_dies_fails_its_test_and_no_other(run):
    """Also where its process ends with 0; the other worker goes on."""
    code, printed = run("test_dies.py", "test_fine.py")
    assert code == 1
    assert re.search("^=+ 1 failed, 2 passed", printed, re.MULTILINE), printed
    assert "the worker ended with 0 in this test" in printed
    assert "test_dies.py::test_dies" in printed


def test_a_run_ends_at_the_first_failure_if_that_is_asked_for(run):
    """Its exit code is that of a failure."""
    code, printed = run("test_wrong.py", options=("-x",))
    assert code == 1
    assert "stopping after 1 failures" in printed
