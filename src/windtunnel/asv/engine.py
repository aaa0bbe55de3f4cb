"""The process that drives asv: reads a request from stdin, carries it out and tells what happens as events.

asv's own output goes to stderr. When stdin ends, the supervisor is gone and the engine interrupts itself.
"""

import io
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import assert_never

from asv.console import log

from windtunnel.asv import paired_engine, suite
from windtunnel.asv.protocol import (
    Broken,
    Compare,
    Describe,
    Discover,
    Event,
    Measure,
    RunProcesses,
    request_from,
    to_line,
)
from windtunnel.errors import ExitCode


def main() -> int:
    """Carry out the request on stdin; 0 when it was carried out or its failure was told."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit it ignored
    requests, events = _private_channels()
    request = request_from(requests.readline())
    further: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_on, args=(requests, further), daemon=True).start()
    log.enable(verbose=False)

    def emit(event: Event) -> None:
        events.write(to_line(event))

    try:
        match request:
            case Describe():
                suite.describe(request, emit)
            case Discover():
                suite.discover(request, emit)
            case Measure():
                suite.measure(request, emit)
            case Compare():
                paired_engine.compare(request, lambda: _turns(further), emit)
            case RunProcesses():
                emit(Broken(step="request", reason="nothing is built yet: turns follow a comparison"))
            case _:
                assert_never(request)
    except suite.CannotContinueError as error:
        emit(Broken(step=error.step, reason=error.reason))
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    return ExitCode.FINE


def _private_channels() -> tuple[io.BufferedReader, io.FileIO]:
    """Take stdin and stdout away from asv, its plugins and benchmarks: none may read a request or print an event."""
    requests = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    events = io.FileIO(os.dup(sys.stdout.fileno()), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return requests, events


def _turns(further: "queue.SimpleQueue[bytes]") -> RunProcesses:
    """Wait for the next turns; the end of stdin interrupts the wait."""
    request = request_from(further.get())
    if not isinstance(request, RunProcesses):
        raise suite.CannotContinueError("request", f"{type(request).__name__} cannot follow a comparison")
    return request


def _read_on(requests: io.BufferedReader, further: "queue.SimpleQueue[bytes]") -> None:
    """Pass further requests on; when there can be none any more, wake the engine out of whatever it waits for."""
    for line in requests:
        further.put(line)
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # wakes it out of waiting for a benchmark


if __name__ == "__main__":
    sys.exit(main())
