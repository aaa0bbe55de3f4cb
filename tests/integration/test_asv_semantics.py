"""A suite means the same as under asv: ``asv run``, ``run`` and ``compare`` call the same functions equally often."""

import os
import subprocess
import sys
from collections import Counter

import pytest
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import change

SUITE = {
    "suite/__init__.py": "",
    "suite/_log.py": """\
import os, sys

# The map of what cases run executes each case once more, after the measuring.
LOG = os.environ["SEMANTICS_LOG"] + (".map" if sys.argv[0].endswith("reach_runner.py") else "")

def log(*words):
    with open(LOG, "a") as stream:
        print(*words, file=stream)
""",
    "suite/pack/__init__.py": "",
    "suite/pack/_helper.py": "VALUE = 7\n",
    "suite/pack/deep.py": """\
from .._log import log
from ._helper import VALUE

def track_relative():
    log("relative", VALUE)
    return VALUE
""",
    "suite/jobs.py": """\
from ._log import LOG, log

class Odd:
    def __repr__(self):
        return "<odd, (1)>"

def setup(*args):
    log("module setup", args)

def teardown(*args):
    log("module teardown", args)

class Number:
    number, repeat, rounds, warmup_time = 3, 2, 1, 0
    def setup(self):
        log("Number setup")
    def teardown(self):
        log("Number teardown")
    def time_it(self):
        log("Number time_it")

class SetInSetup:
    processes, warmup_time = 1, 0
    def setup(self):
        self.number, self.repeat = 2, (3, 3, 10.0)
    def time_it(self):
        log("SetInSetup time_it")

class Cached:
    rounds, number, repeat, warmup_time = 1, 1, 1, 0
    params, param_names = [Odd()], ["what"]
    def setup_cache(self):
        log("setup_cache")
        with open("file", "w") as stream:
            stream.write("here")
        return {"cached": 3}
    setup_cache.timeout = 50
    def setup(self, cache, what):
        log("Cached setup", cache, what, open("file").read())
    def time_it(self, cache, what):
        log("Cached time_it", cache, what)
    def track_it(self, cache, what):
        log("Cached track_it", cache, what)
        return cache["cached"]

class Skipped:
    rounds, number, repeat, warmup_time = 1, 1, 1, 0
    params, skip_params = [[1, 2, 3]], [(1,)]
    def setup(self, n):
        log("Skipped setup", n)
        if n == 2:
            raise NotImplementedError("two")
    def time_it(self, n):
        log("Skipped time_it", n)

def timeraw_process():
    return f"print('timeraw', file=open({LOG!r}, 'a'))", "import os"
timeraw_process.number, timeraw_process.repeat, timeraw_process.rounds, timeraw_process.warmup_time = 2, 2, 1, 0
""",
    "asv.conf.json": """\
{"version": 1, "project": "spam", "repo": ".", "branches": ["main"], "environment_type": "existing",
 "benchmark_dir": "suite"}
""",
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A repository with the suite."""
    folder = tmp_path_factory.mktemp("semantics") / "project"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    return change(folder, {**SUITE, ".gitignore": ".windtunnel/\n__pycache__/\n"}, "suite")


@pytest.fixture(scope="module")
def python(bare_python):
    """The Python in whose environment the suite runs as it is."""
    return bare_python()


@pytest.fixture(scope="module")
def expected(suite, python):
    """How often asv itself calls each function of the suite."""
    log = suite.parent / "asv.log"
    env = os.environ | {"HOME": str(suite.parent), "SEMANTICS_LOG": str(log)}
    (suite.parent / ".asv-machine.json").write_text('{"version": 1, "m": {"machine": "m"}}')
    command = [sys.executable, "-m", "asv", "run", "--environment", f"existing:{python}", "--machine", "m"]
    command += ["--set-commit-hash", git(suite, "rev-parse", "HEAD")]
    subprocess.run(command, cwd=suite, env=env, check=True, capture_output=True)
    found = calls_in(log)
    assert (found["Number time_it"], found["setup_cache"], found["timeraw"]) == (6, 1, 4)
    return found


def calls_in(log):
    return Counter(log.read_text().splitlines())


def test_run_calls_what_asv_calls(suite, python, expected):
    """The attributes of a benchmark decide, also those that a setup sets; a setup_cache is computed once."""
    log = suite.parent / "run.log"
    for argv in (
        ("ci", "plan", "--commits", "1", "--python", f"existing:{python}", "--out", "plan.json"),
        ("ci", "run", "--plan", "plan.json", "--shard", "0", "--out", "out"),
    ):
        windtunnel(suite, *argv, SEMANTICS_LOG=str(log), code=0)
    assert calls_in(log) == expected
    assert calls_in(log.with_name("run.log.map"))["Number setup"] > 0


def test_compare_calls_what_asv_calls(suite, python, expected):
    """One round is a process of each commit; each commit computes a setup_cache once."""
    log, head = suite.parent / "compare.log", suite.parent / "python"
    head.write_text(f'#!/bin/sh\nexec {python} "$@"\n')
    head.chmod(0o755)
    argv = ("--base-python", python, "--head-python", head, "--rounds", "1", "--aa-share", "0", "--no-confirm")
    windtunnel(suite, "compare", *argv, SEMANTICS_LOG=str(log), code=0)
    assert calls_in(log) == Counter({call: 2 * count for call, count in expected.items()})
