"""Starts the engine process, exchanges messages with it and ends it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil
from uv import find_uv_bin

from windtunnel.asv import pythons
from windtunnel.asv.protocol import AllDescribed, Describe, Event, Request, parse_event, to_line
from windtunnel.errors import DataError

DROPPED = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
"""How variables begin that engines do not inherit."""

SHUTDOWN_TIMEOUT = 20.0
"""Seconds for an interrupted engine to kill the benchmark's process and exit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervisor:
    """Starts engines."""

    env: Mapping[str, str]
    """Environment variables of the engines."""
    log: Path
    """File for asv's output."""

    def __post_init__(self) -> None:
        """Refuse a system on which nothing can be measured; raises UsageError."""
        pythons.check_platform()

    def events(self, request: Request) -> Generator[Event]:
        """Send *request* to a new engine and yield its events. Closing the generator interrupts the engine.

        Raises DataError when the engine dies; the log then says why.
        """
        with self.session() as session:
            session.send(request)
            yield from session.events()

    def describe(self, request: Describe) -> Generator[Event]:
        """Send *request* to a new engine and yield its events."""
        with self.session() as session:
            yield from session.describe(request)

    @contextlib.contextmanager
    def session(self) -> Iterator["EngineSession"]:
        """Start an engine for several requests; leaving the context interrupts it."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log, self._engine(log) as engine:
            yield EngineSession(engine=engine, log=self.log)

    @contextlib.contextmanager
    def _engine(self, log: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        """Start an engine; the end of its stdin stops it."""
        engine = start_process(self.env, log)
        try:
            yield engine
        finally:
            assert engine.stdin
            assert engine.stdout
            with contextlib.suppress(BrokenPipeError):
                engine.stdin.close()
            try:
                engine.wait(SHUTDOWN_TIMEOUT)
            except subprocess.TimeoutExpired:
                _kill(engine.pid)
                engine.wait()
            kill_session(engine.pid)
            engine.stdout.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSession:
    """A running engine."""

    engine: subprocess.Popen[bytes]
    log: Path

    def send(self, request: Request) -> None:
        """Send *request*; when the engine has ended, ``events`` raises the error."""
        assert self.engine.stdin
        with contextlib.suppress(BrokenPipeError):
            self.engine.stdin.write(to_line(request))
            self.engine.stdin.flush()

    def events(self) -> Iterator[Event]:
        """Yield events until the engine ends; raises DataError when it ends with an error."""
        assert self.engine.stdout
        for line in self.engine.stdout:
            yield parse_event(line)
        if self.engine.wait():
            raise DataError(f"the measuring engine ended with code {self.engine.returncode}; see the end of {self.log}")

    def describe(self, request: Describe) -> Iterator[Event]:
        """Send *request*, the first one, and yield its events; the engine then waits for a ``Discover`` request."""
        self.send(request)
        for event in self.events():
            if isinstance(event, AllDescribed):
                return
            yield event


def start_process(env: Mapping[str, str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start an engine in a session of its own, so that Ctrl-C does not reach it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "windtunnel.asv.start_engine"],  # -P: not from the user's checkout
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env=engine_environment(env),
        start_new_session=True,
    )


def kill_session(engine: int) -> None:
    """Kill what the *engine* left in its session (setsid(2)).

    asv does not know the process ID of a benchmark whose start was interrupted, and its parent may be init by now.
    """
    for pid in psutil.pids():
        if pid != engine and _session(pid) == engine:
            _kill(pid)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:  # it has ended
        return None


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def engine_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* with every Python of this machine on PATH, followed by uv for asv's commands.

    Bytecode is written even if *env* forbids it. Without it, each process compiles all that it imports, also the
    standard library of a Python that came without it, where importing asyncio computed 0.4 s instead of 0.09.
    """
    path = os.pathsep.join([pythons.search_path(env), str(Path(find_uv_bin()).parent)])
    kept = {name: value for name, value in env.items() if not name.startswith(DROPPED)}
    return {**kept, "PATH": path, pythons.DOWNLOADS: env.get(pythons.DOWNLOADS, pythons.NEVER)}
