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

from windtunnel.asv import protocol, pythons
from windtunnel.errors import DataError
from windtunnel.model.run_format import error_line

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

    def ask(self, request: protocol.Request, what: str) -> Generator[protocol.Event]:
        """Send *request* to a new engine and yield the events that answer it, as ``EngineSession.ask`` does.

        Closing the generator interrupts the engine.
        """
        with self.session() as session:
            yield from session.ask(request, what)

    @contextlib.contextmanager
    def session(self) -> Iterator["EngineSession"]:
        """Start an engine for several requests; leaving the context interrupts it."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            engine = start_process(self.env, log)
        try:
            yield EngineSession(engine=engine, log=self.log)
        finally:  # the end of its stdin stops it
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

    def ask(self, request: protocol.Request, what: str) -> Generator[protocol.Event]:
        """Send *request* and yield the events that answer it.

        Raises BrokenError if the request fails, and DataError if the engine dies; both messages begin with *what*.
        """
        self.send(request)
        for event in self.events():
            match event:
                case protocol.Done():
                    return
                case protocol.Broken():
                    raise BrokenError(what, event, self.log)
                case _:
                    yield event
        raise DataError(f"{what}: the engine ended; see the end of {self.log}")

    def send(self, request: protocol.Request) -> None:
        """Send *request*; when the engine has ended, ``events`` notices."""
        assert self.engine.stdin
        with contextlib.suppress(BrokenPipeError):
            self.engine.stdin.write(protocol.to_line(request))
            self.engine.stdin.flush()

    def events(self) -> Iterator[protocol.Event]:
        """Yield events until the engine ends; raises DataError when it ends with an error."""
        assert self.engine.stdout
        for line in self.engine.stdout:
            yield protocol.parse_event(line)
        if self.engine.wait():
            raise DataError(f"the measuring engine ended with code {self.engine.returncode}; see the end of {self.log}")


class BrokenError(DataError):
    """A request failed; *event* says in which step, and why."""

    def __init__(self, what: str, event: protocol.Broken, log: Path) -> None:
        """Say *what* failed, the step, the reason, and where asv's output is."""
        super().__init__(f"{what}: {event.step} failed: {error_line(event.reason)}; details: {log}")
        self.event = event


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
