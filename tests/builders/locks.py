"""Another process that holds the lock of a folder."""

import contextlib
import subprocess
import sys

HOLD = """
import pathlib, sys
from windtunnel.files import locked
with locked(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def held(folder):
    """Another process that holds the lock of *folder*."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        try:
            yield holder
        finally:
            holder.kill()
