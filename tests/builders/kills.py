"""Our commands in processes of their own, which a test may kill at any moment."""

import os
import signal
import subprocess
import sys
import time


def _a_command(folder, argv, env):
    """Start a command that leads a process group, git and all."""
    command = [sys.executable, "-m", "windtunnel.cli", *map(str, argv)]
    out = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=env, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)


def ends_well(folder, *argv, env=None):
    """Run a command to its end; return how long it took."""
    start = time.monotonic()
    process = _a_command(folder, argv, env)
    said = process.communicate()[0]
    assert process.returncode == 0, said
    return time.monotonic() - start


def is_killed(moment, folder, *argv, env=None):
    """Kill a command and what it started after *moment* seconds; return whether it was still at work."""
    process = _a_command(folder, argv, env)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL
