"""Server processes on 127.0.0.1 that end with the process that started them, however it ends."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from select import select
from typing import IO

GUARD = ("/bin/sh", "-c", '"$@" </dev/null & exec >/dev/null 2>&1; read _; kill -KILL 0', "guard")
"""Starts the server, waits for the end of standard input, and kills the whole group: server, workers, itself."""

PATIENCE = 60.0
"""Seconds after which a server that names no port is an error, not a hang."""


@contextmanager
def serving(module: str, *arguments: str) -> Iterator[int]:
    """Run a module that listens on a free port and prints it as its first line; yield the port."""
    with server_group(module, *arguments) as (opened, _):
        yield opened


@contextmanager
def server_group(module: str, *arguments: str) -> Iterator[tuple[int, int]]:
    """The same; yield the port and the group of the server's processes.

    A module that opens its socket before it prints needs no polling: who connects too early waits in the backlog.
    """
    guard = subprocess.Popen(
        (*GUARD, sys.executable, "-m", module, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a group of its own: the guard kills it whole, and our signals do not reach it
    )
    with guard:
        assert guard.stdin is not None
        assert guard.stdout is not None
        try:
            yield port(module, guard.stdout), guard.pid
        finally:
            guard.stdin.close()
            guard.stdout.read()  # ends when the last process of the group is gone


def port(module: str, output: IO[bytes]) -> int:
    """Read the port; what a server prints instead is the error."""
    if not select([output], [], [], PATIENCE)[0]:
        raise TimeoutError(f"{module} named no port within {PATIENCE:.0f} s")
    line = output.readline()
    if not line.strip().isdigit():
        raise RuntimeError(f"{module} did not start: {(line + output.read()).decode(errors='replace')}")
    return int(line)
