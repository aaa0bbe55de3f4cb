"""The engine reports the steps of asv that take long."""

import logging
import subprocess
import sys

import pytest

from windtunnel.asv.engine import StepReporter
from windtunnel.asv.protocol import Working


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
