"""Requests to the engine: what it loads, what it reports, and what it answers."""

import json
import logging
import subprocess
import sys
from types import SimpleNamespace

import pytest

from windtunnel.asv.engine import StepReporter
from windtunnel.asv.measure import SetupCaches
from windtunnel.asv.paired_engine import CommitRunner, execute
from windtunnel.asv.protocol import CaseProfiled, ProfileCases, Working
from windtunnel.model.schedule import CountedCase


def test_steps_that_may_take_minutes_are_reported():
    """asv logs them before they begin; its other lines, and its warnings, stay in the log. A line stays a line."""
    events = []
    reporter = StepReporter(events.append)
    for level, text in (
        (logging.INFO, "Installing requirements for virtualenv-py3.13"),
        (logging.INFO, " Building 1a2b3c4d <main> for virtualenv-py3.13"),
        (logging.INFO, f"Installing requirements for virtualenv-py3.13-{'numpy2.0-' * 40}scipy1.14"),
        (logging.INFO, "Running 'python' in virtualenv-py3.13"),
        (logging.WARNING, "Building is not possible"),
    ):
        reporter.handle(logging.makeLogRecord({"levelno": level, "msg": text}))
    assert events[:2] == [
        Working(text="Installing requirements for virtualenv-py3.13"),
        Working(text="Building 1a2b3c4d <main> for virtualenv-py3.13"),
    ]
    (long,) = events[2:]
    assert long.text.startswith("Installing requirements for virtualenv-py3.13-numpy2.0-")
    assert long.text.endswith("scipy1.14")
    assert len(long.text) == StepReporter.LONGEST


@pytest.mark.parametrize("line", ["", "{}\n", "windtunnel\n"])
def test_an_engine_without_a_request_says_who_starts_it(line):
    """Such as with stdin from /dev/null; no traceback."""
    command = [sys.executable, "-m", "windtunnel.asv.engine"]
    done = subprocess.run(command, input=line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("windtunnel.asv.engine: stdin is not a valid request: ")
    assert done.stderr.count("\n") == 1


KNOWN = """
import json, sys
from asv import environment, repo, util
known = [[each.__name__ for each in util.iter_subclasses(base)] for base in (environment.Environment, repo.Repo)]
print(json.dumps([known, [name for name in sys.modules if name.startswith("asv.commands")]]))
"""
START = "from windtunnel.asv import start_engine; start_engine.load_asv()"


def loaded(first):
    """The environments and repositories that asv knows after the statement *first*, and its commands."""
    done = subprocess.run([sys.executable, "-c", first + KNOWN], capture_output=True, check=True)
    return json.loads(done.stdout)


def test_an_engine_knows_the_environments_and_repositories_that_asv_knows():
    """In the same order, because asv takes the first that fits; the commands are what is left out."""
    known, commands = loaded(START)
    all_known, all_commands = loaded("import asv")
    assert known == all_known
    assert commands == []
    assert all_commands


def test_a_case_whose_setup_cache_fails_has_a_reason_and_the_next_one_follows():
    """One event for each case, in the order of the request."""
    entries = {"bench.time_it": {"name": "bench.time_it", "params": [], "setup_cache_key": "bench:3", "timeout": 60.0}}
    caches = SetupCaches(entries=entries, create=lambda *_: (None, "no such file"))
    conf = SimpleNamespace(benchmark_dir="benchmarks")
    runner = CommitRunner(conf=conf, env=None, hash="", entries=entries, caches=caches)
    cases = tuple(CountedCase(commit="head", benchmark="bench.time_it", index=index) for index in (0, 1))
    events = []
    execute(ProfileCases(cases=cases), {"head": runner}, events.append)
    assert [event.case for event in events if isinstance(event, CaseProfiled)] == list(cases)
    assert all("no such file" in event.profile.reason for event in events)
