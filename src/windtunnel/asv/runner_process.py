"""A process of the environment's Python that runs cases and reports on stdout: starts it, reads it, ends it."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from windtunnel.asv.launcher import ends_with_us
from windtunnel.asv.measure import InstalledCommit, process_ending
from windtunnel.model.schedule import CountedCase

IMPORT, EXIT = "the import of the suite", "exit"
"""The steps of a process before and after those of its cases."""

MAX_ERRORS = 100_000
"""Bytes of a process's own output that are kept: the end."""

SHUTDOWN_TIMEOUT = 5.0
"""Seconds for a process to tear down after SIGTERM, and to end after its last teardown."""

STARTING = threading.Lock()
"""Held while a process starts: the variable that makes it end with the engine is the engine's meanwhile."""


@dataclass(slots=True, kw_only=True)
class RunnerProcess:
    """A process that runs cases of a commit; each line of its stdout is an event, with the index of its ``case``.

    An event with a ``step`` says what begins; the last is EXIT. The runner and its reader agree on what others hold.
    """

    runner: Path
    """The file that it runs."""
    commit: InstalledCommit
    cases: Sequence[CountedCase]
    folder: str
    """Its working folder; each case has one in it."""
    timeouts: Sequence[float]
    """Seconds that a step of each case may take."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables beside those of the environment."""
    errors: bytes = b""
    """The end of its own output."""
    _process: "subprocess.Popen[bytes] | None" = None
    _is_killed: bool = False
    _case: int = 0
    """The case whose step it carries out."""
    _step: str = IMPORT

    def events(self, further: Mapping[str, Any]) -> Generator[dict[str, Any]]:
        """Start the process with its cases and what its runner reads *further*; yield what it reports.

        Yield too why it did not come to its end.

        The process and everything that it started are ended in any case.
        """
        file, env = Path(self.folder) / "request.json", self.commit.env
        file.write_text(json.dumps({**self._request(), **further}), encoding="utf-8")
        with STARTING, ends_with_us():
            variables = {**os.environ, **env.env_vars, **self.variables}
            process = self._process = env.run(
                [str(self.runner), str(file)], return_popen=True, env=variables, cwd=self.folder
            )
        if self._is_killed:
            self.kill()
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        readers = [
            threading.Thread(target=_put_lines, args=(process.stdout, lines), daemon=True),
            threading.Thread(target=self._keep_errors, args=(process.stderr,), daemon=True),
        ]
        for reader in readers:
            reader.start()
        try:
            reason = yield from self._read(process, lines)
        finally:
            self.kill()
            code = process.wait()
            self._process = None
            for reader in readers:
                reader.join(SHUTDOWN_TIMEOUT)
        if self._step == EXIT:
            return
        output = self.errors.decode("utf-8", "replace")
        reason = reason or f"{output}\n{process_ending(output, code)}\nduring {self._step}"
        for case in range(len(self.timeouts)) if self._step == IMPORT else (self._case,):
            yield {"case": case, "failed": reason}

    def _request(self) -> dict[str, Any]:
        """Return what every runner reads."""
        folders = [Path(self.folder) / str(number) for number in range(len(self.cases))]
        for each in folders:
            each.mkdir()
        entries = [self.commit.entries[case.benchmark] for case in self.cases]
        return {
            "suite": os.path.abspath(self.commit.suite),  # noqa: PTH100 - as asv names it
            "folders": list(map(str, folders)),
            "cases": [
                {
                    "name": f"{entry['name']}-{case.index}" if entry["params"] else entry["name"],
                    "cache": self.commit.caches.get(entry).folder,
                }
                for case, entry in zip(self.cases, entries, strict=True)
            ],
        }

    def kill(self) -> None:
        """Kill what is left of the process and of those that it started: asv gives it a group of its own."""
        self._is_killed = True
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _read(
        self, process: "subprocess.Popen[bytes]", lines: "queue.SimpleQueue[bytes]"
    ) -> Generator[dict[str, Any], None, str]:
        """Yield the events of *process* and note its steps; return what is wrong with the last one if it is known.

        A process whose step takes too long gets SIGTERM, and a few seconds for its teardowns.
        """
        reason, timeout = "", max(self.timeouts)
        while True:
            try:
                line = lines.get(timeout=timeout)
            except queue.Empty:
                if reason or self._step == EXIT:
                    return reason
                reason = f"timed out: {self._step} took more than {timeout:g} s"
                timeout = SHUTDOWN_TIMEOUT
                process.terminate()
                continue
            if not line:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(SHUTDOWN_TIMEOUT)
                return reason
            event = json.loads(line)
            if "step" not in event:
                yield event
            elif not reason:
                self._case, self._step = event["case"], event["step"]
                timeout = SHUTDOWN_TIMEOUT if self._step == EXIT else self.timeouts[self._case]

    def _keep_errors(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := stream.read1(65536):  # type: ignore[attr-defined]  # Popen gives a BufferedReader
                self.errors = (self.errors + chunk)[-MAX_ERRORS:]


def _put_lines(stream: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(b"")
