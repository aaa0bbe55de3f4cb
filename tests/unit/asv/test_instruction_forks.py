"""How a total is read, how a process that counts a case may end, and which threads and processes are noticed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from windtunnel.asv import instruction_forks
from windtunnel.asv.instruction_forks import CountError, fork_each, in_process, read_total, used_seconds


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


def compute():
    """Compute without an end."""
    while True:
        pass


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda: {"instructions": 2.5}, {"instructions": 2.5}),
        (lambda: os._exit(3), {"failed": "the process ended with exit code 3"}),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), {"failed": "the process ended with SIGTERM"}),
        (
            compute,
            {"failed": "it took more than 0.05 s of processor time under valgrind, which runs 20 to 50 times slower"},
        ),
    ],
)
def test_each_end_of_a_process_is_reported(act, told):
    """A case that dies or takes too long has a reason, and the next one is counted."""
    assert in_process(act, 0.05 if act is compute else 20, 60, end_with) == told


def test_a_case_that_waits_is_ended_by_the_clock():
    """It takes no processor time."""
    found = in_process(lambda: time.sleep(60), 20, 0.1, end_with)
    assert found == {"failed": "it did not end within 0.1 s: it waits"}


def test_a_case_that_computes_is_not_ended_by_the_clock(monkeypatch):
    """On a busy machine it takes as much processor time, but longer: itself, or a process in which it is counted."""
    monkeypatch.setattr(instruction_forks, "BUSY_FACTOR", 1000)
    assert "of processor time" in in_process(compute, 0.3, 0.1, end_with)["failed"]
    assert in_process(lambda: {"done": len(fork_each([0.3], spend))}, 20, 0.1, end_with) == {"done": 2}


def test_a_busy_machine_does_not_end_a_case(monkeypatch):
    """Another program on its processor makes it take longer than it may wait, and no more processor time."""
    monkeypatch.setattr(instruction_forks, "BUSY_FACTOR", 1000)
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    burning = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
    try:
        assert in_process(lambda: {"done": len(fork_each([0.3], spend))}, 20, 0.1, end_with) == {"done": 2}
    finally:
        os.sched_setaffinity(0, processors)
        burning.kill()
        burning.wait()


def test_other_programs_do_not_take_a_case_s_time():
    """A case may wait longer than it may compute, and what it waited for does not count as computing."""
    assert in_process(lambda: time.sleep(0.2) or {"used": used_seconds() < 0.1}, 0.1, 20, end_with) == {"used": True}


def test_processes_that_were_waited_for_count():
    """A case is counted in several processes, which have its time together."""

    def act():
        fork_each([0.05, 0.05], spend)
        return {"used": used_seconds() >= 0.09}

    assert in_process(act, 20, 60, end_with) == {"used": True}


def spend(seconds):
    """Compute for so many seconds, and end."""
    while time.process_time() < seconds:
        pass
    os._exit(0)


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
