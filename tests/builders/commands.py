"""Our commands, called in this process: what they start is as real as from a shell, only their own start is saved."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from typing import NamedTuple

from windtunnel.cli import main


class Done(NamedTuple):
    """How a command ended, with the names of `subprocess.CompletedProcess`."""

    returncode: int
    stdout: str
    stderr: str


def run_command(argv, env, folder=".", code=None):
    """Call the command *argv* in *folder*, with *env* as its environment; it has to end with *code*, if given."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder):
        done = main(tuple(map(str, argv)), out, err, env)
    assert code in {None, done}, err.getvalue()
    return Done(int(done), out.getvalue(), err.getvalue())


def windtunnel(folder, *argv, code=None, **env):
    """Call the command *argv* in *folder*, *env* added to the environment; it has to end with *code*, if given."""
    return run_command(argv, os.environ | env, folder, code)


def started(folder, argv, env):
    """The command *argv* as a process that leads a process group, git and all."""
    command = [sys.executable, "-m", "windtunnel.cli", *map(str, argv)]
    out = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, cwd=folder, env=env, **out, start_new_session=True)


def seconds_of(folder, *argv, **env):
    """Run the command in a process of its own to its end; return how long it took."""
    start = time.monotonic()
    process = started(folder, argv, os.environ | env)
    said = process.communicate()[0]
    assert process.returncode == 0, said
    return time.monotonic() - start


def is_killed(folder, moment, *argv, **env):
    """Kill the command and what it started after *moment* seconds; return whether it was still at work."""
    process = started(folder, argv, os.environ | env)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL
