"""How many calls are counted, how a total is read, and how a process that counts a case may end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from windtunnel.asv import instruction_runner
from windtunnel.asv.instruction_runner import MAX_CALLS, MAX_WARM_UP, CountError, choose_calls, in_process, read_total


@pytest.mark.parametrize(
    ("cost", "warm_up", "calls"),
    [
        (300, MAX_WARM_UP, MAX_CALLS),
        (100_000, MAX_WARM_UP, 32),
        (1_000_000, 4, 4),
        (6_000_000, 0, 1),
        (3_000_000_000, 0, 1),
        (-5, MAX_WARM_UP, MAX_CALLS),
    ],
)
def test_cheap_calls_are_counted_together_and_dear_ones_alone(cost, warm_up, calls):
    """About five million instructions are counted, in a power of two of calls."""
    assert choose_calls(cost, isolated=False) == (warm_up, calls)


def test_a_case_that_is_set_up_before_each_call_has_one_call():
    """The setup would be in the count of two."""
    assert choose_calls(300, isolated=True) == (MAX_WARM_UP, 1)


def test_a_small_difference_of_cost_changes_no_number_of_calls():
    """Base and head are counted over as many calls, so what happens every so many calls is in both."""
    assert choose_calls(100_000, isolated=False) == choose_calls(101_000, isolated=False)


def test_the_total_is_in_the_last_line_and_the_file_is_removed(tmp_path):
    """A file has a megabyte of lines per function before it."""
    (tmp_path / "7").write_text("events: Ir\n" + "fn=work\n1 20\n" * 1000 + "summary: 123456\n")
    assert read_total(tmp_path, 7) == 123456
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [None, "", "events: Ir\nsummary: many\n"])
def test_a_file_without_a_total_is_a_reason(tmp_path, content):
    """Such as on a full disk."""
    if content is not None:
        (tmp_path / "7").write_text(content)
    with pytest.raises(CountError, match="valgrind wrote no"):
        read_total(tmp_path, 7)


def end_with(_parent):
    """A forked test process ends by itself."""


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda: {"instructions": 2.5}, {"instructions": 2.5}),
        (lambda: os._exit(3), {"failed": "the process ended with exit code 3"}),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), {"failed": "the process ended with SIGTERM"}),
        (
            lambda: time.sleep(60),
            {"failed": "it took more than 0.1 s under valgrind, which runs 20 to 50 times slower"},
        ),
    ],
)
def test_each_end_of_a_process_is_reported(act, told):
    """A case that dies or hangs has a reason, and the next one is counted."""
    assert in_process(act, 0.1 if "took" in str(told) else 20, end_with) == told


OTHER_WORK = """
import os, subprocess, sys, threading
sys.path.insert(0, sys.argv[1])
import instruction_runner
watch = instruction_runner.OtherWork()
def thread():
    one = threading.Thread(target=int)
    one.start()
    one.join()
def process():
    subprocess.run([sys.executable, "-c", ""], check=True)
def left():
    subprocess.Popen([sys.executable, "-c", ""])
watch.seen = False
{"thread": thread, "process": process, "left": left, "none": int}[sys.argv[2]]()
sys.exit(instruction_runner.OTHER_WORK if watch.is_left() else 0)
"""


@pytest.mark.parametrize("way", ["thread", "process", "left", "none"])
def test_threads_and_processes_are_noticed(way):
    """Also when they have ended: what they did is not in the count, or depends on the scheduler."""
    folder = str(Path(instruction_runner.__file__).parent)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", OTHER_WORK, folder, way], check=False, timeout=60)
    assert done.returncode == (0 if way == "none" else instruction_runner.OTHER_WORK)
