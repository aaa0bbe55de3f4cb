"""How a total is read, how a process that counts a case may end, and which threads and processes are noticed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from windtunnel.asv import instruction_forks
from windtunnel.asv.instruction_forks import CountError, fork_each, in_process, read_total


def test_processes_are_forked_one_after_the_other():
    """Each does its part, and how it ended is known."""
    processes, ends = fork_each([3, 0, 4], os._exit)
    assert len(set(processes)) == 3
    assert [os.waitstatus_to_exitcode(status) for status in ends] == [3, 0, 4]


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
import instruction_forks
watch = instruction_forks.OtherWork()
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
sys.exit(instruction_forks.OTHER_WORK if watch.is_left() else 0)
"""


@pytest.mark.parametrize("way", ["thread", "process", "left", "none"])
def test_threads_and_processes_are_noticed(way):
    """Also when they have ended: what they did is not in the count, or depends on the scheduler."""
    folder = str(Path(instruction_forks.__file__).parent)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", OTHER_WORK, folder, way], check=False, timeout=60)
    assert done.returncode == (0 if way == "none" else instruction_forks.OTHER_WORK)
