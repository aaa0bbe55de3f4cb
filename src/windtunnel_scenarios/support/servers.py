"""Server processes on 127.0.0.1 that end with the process that started them, however it ends."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.open_files import is_readable
from windtunnel_scenarios.support.procfs import group_cpu_seconds

GUARD = ("/bin/sh", "-c", '"$@" </dev/null & exec >/dev/null 2>&1; read _; kill -KILL 0', "guard")
"""Starts the server, waits for the end of standard input, and kills the whole group: server, workers, itself."""

START_TIMEOUT = 60.0
"""Seconds after which a server that prints no port is an error."""

SILENCE = 1.0
"""Seconds without output after which the message of a server that printed no port is complete."""

KEEP_ALIVE_TIMEOUT = 3600
"""Seconds after which a server closes an idle connection: longer than any pause between two runs.

uvicorn's default is 5 seconds and gunicorn's 2. A run that began later would have to open its connections again.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server."""

    port: int
    process_group: int
    """The group of the server's processes, workers included."""


class ServedRun:
    """A run that makes requests to a server, with the processor time of the server."""

    def __init__(self, run: Run, server: Server) -> None:
        self._run, self._server = run, server

    def __call__(self) -> Outcome:
        return self._run()

    @property
    def recorded(self) -> Mapping[str, tuple[float, ...]]:
        """What the run recorded, if it records anything."""
        return getattr(self._run, "recorded", {})

    def server_cpu_seconds(self) -> float:
        """Return the processor time since the server started, its workers included."""
        return group_cpu_seconds(self._server.process_group)


@contextmanager
def running_server(module: str, *arguments: str) -> Iterator[Server]:
    """Run a module that listens on a free port and prints the port as its first line.

    The module opens its socket before it prints, so a client that connects early waits in the backlog.
    """
    guard = subprocess.Popen(
        (*GUARD, sys.executable, "-m", module, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a group of its own: the guard kills all of it, and our signals do not reach it
    )
    with guard:
        assert guard.stdin is not None
        assert guard.stdout is not None
        try:
            yield Server(port=read_port(module, guard.stdout), process_group=guard.pid)
        finally:
            guard.stdin.close()
            guard.stdout.read()  # ends when the last process of the group has ended


def read_port(module: str, output: IO[bytes]) -> int:
    """Read the port; anything else that the server prints is the error message."""
    if not is_readable(output, START_TIMEOUT):
        raise TimeoutError(f"{module} printed no port within {START_TIMEOUT:.0f} s")
    line = output.readline()
    if not line.strip().isdigit():
        message = line + _read_until_silent(output)
        raise RuntimeError(f"{module} did not start: {message.decode(errors='replace')}")
    return int(line)


def _read_until_silent(output: IO[bytes]) -> bytes:
    """Read to the end of *output*, or until it is silent for a while: a server that prints a warning does not end."""
    os.set_blocking(output.fileno(), False)
    try:
        text = output.read() or b""
        while is_readable(output, SILENCE) and (more := output.read()):
            text += more
    finally:
        os.set_blocking(output.fileno(), True)
    return text


def listening_socket(*, no_delay: bool = False) -> socket.socket:
    """In a server: open a socket that listens on a free port of 127.0.0.1, and print the port.

    The protocol is stated because asyncio sets TCP_NODELAY only on such sockets. On others the second answer over a
    connection waits 40 ms for the client's acknowledgement. With ``no_delay`` it is set here, also for the connections
    that a client opens before the server itself sets it.
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, no_delay)
    opened.bind(("127.0.0.1", 0))
    opened.listen(1024)
    print_port(opened)
    return opened


def print_port(opened: socket.socket) -> None:
    """In a server: print the port of a listening socket."""
    print_port_number(opened.getsockname()[1])


def print_port_number(port: int) -> None:
    """In a server that opens its socket by itself: print the port."""
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()


def serve_gunicorn(settings: Mapping[str, object], load: Callable[[], Any]) -> None:
    """In a server: run gunicorn with these settings and no others; each worker calls ``load`` for its application."""
    from gunicorn.app.base import BaseApplication

    class Service(BaseApplication):
        """A gunicorn that reads no files and no arguments."""

        def load_config(self) -> None:
            quiet = {"keepalive": KEEP_ALIVE_TIMEOUT, "loglevel": "error", "accesslog": None}
            for name, value in (quiet | dict(settings)).items():
                self.cfg.set(name, value)

        def load(self) -> Any:
            return load()

    Service().run()


def serve_gunicorn_threads(opened: socket.socket, threads: int, load: Callable[[], Any]) -> None:
    """In a server: run gunicorn on the socket, with one worker that has so many threads."""
    settings = {
        "bind": f"fd://{opened.fileno()}",
        "workers": 1,
        "worker_class": "gthread",
        "threads": threads,
        "http_parser": "python",
    }
    serve_gunicorn(settings, load)
