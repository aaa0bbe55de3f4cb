"""The background load excludes our own processes, including orphans."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc/stat is Linux's")

BURN = "while True: pass"

WATCH = """
import time
from windtunnel.asv.machine import watch_background_load
others = watch_background_load()
print("looking", flush=True)
time.sleep(1.0)
print(others(), flush=True)
"""

ORPHAN = """
import os, time
from windtunnel.asv import machine
machine.watch_background_load()
before = machine.own_seconds()
lives, held = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        while time.process_time() < 0.5: pass
    os._exit(0)
os.close(held)
os.wait()
os.read(lives, 1)  # ends with the orphan
print(machine.own_seconds() - before)
while machine.psutil.Process().children():
    machine._reap_orphans()
print(machine.own_seconds() - before)
"""


def told(script):
    """What a script prints, a number a line."""
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return [float(line) for line in process.stdout.split()]


def test_the_load_of_other_processes_is_measured():
    """A process outside this tree computes during the whole measurement."""
    watcher = subprocess.Popen([sys.executable, "-c", WATCH], stdout=subprocess.PIPE, text=True)
    with watcher, subprocess.Popen([sys.executable, "-c", BURN]) as other:
        assert watcher.stdout.readline() == "looking\n"
        processors = float(watcher.stdout.readline())
        other.kill()
    assert processors > 0.2


def test_the_load_of_orphans_does_not_count():
    """Children of a fork server outlive the benchmark; their time is not background load."""
    seen, buried = told(ORPHAN)
    assert seen >= 0.45
    assert buried >= 0.45
